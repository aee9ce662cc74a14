from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("notifications", "0002_callbacks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="OutsideHours",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("quiet_from", models.PositiveSmallIntegerField(null=True)),
                ("quiet_to", models.PositiveSmallIntegerField(null=True)),
                ("quiet_days", models.CharField(blank=True, default="", max_length=7)),
                (
                    "digest",
                    models.CharField(
                        choices=[
                            ("none", "Each message by itself"),
                            ("hourly", "Together, once an hour"),
                            ("daily", "Together, once a day"),
                        ],
                        default="none",
                        max_length=8,
                    ),
                ),
                ("digest_hour", models.PositiveSmallIntegerField(default=8)),
            ],
            options={
                "db_table": "flow_notice_hours",
            },
        ),
        migrations.CreateModel(
            name="Channel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "medium",
                    models.CharField(
                        choices=[
                            ("email", "E-mail"),
                            ("dingtalk", "DingTalk"),
                            ("feishu", "Feishu"),
                            ("lark", "Lark"),
                            ("wecom", "WeCom"),
                            ("slack", "Slack"),
                        ],
                        max_length=12,
                        verbose_name="channel",
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(
                        default=True,
                        help_text="What is written while it is off is never sent later.",
                        verbose_name="open",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "channel of notices",
                "verbose_name_plural": "channels of notices",
                "db_table": "flow_notice_channel",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "medium"), name="flow_notice_channel_one"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ChatAddress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "medium",
                    models.CharField(
                        choices=[
                            ("email", "E-mail"),
                            ("dingtalk", "DingTalk"),
                            ("feishu", "Feishu"),
                            ("lark", "Lark"),
                            ("wecom", "WeCom"),
                            ("slack", "Slack"),
                        ],
                        max_length=12,
                    ),
                ),
                ("sealed", models.TextField(editable=False)),
                ("changed_at", models.DateTimeField(verbose_name="changed")),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "flow_notice_address",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "medium"), name="flow_notice_address_one"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "medium",
                    models.CharField(
                        choices=[
                            ("email", "E-mail"),
                            ("dingtalk", "DingTalk"),
                            ("feishu", "Feishu"),
                            ("lark", "Lark"),
                            ("wecom", "WeCom"),
                            ("slack", "Slack"),
                        ],
                        max_length=12,
                        verbose_name="channel",
                    ),
                ),
                (
                    "by_process",
                    models.BooleanField(default=False, verbose_name="asked for by the process"),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("PENDING", "waiting"),
                            ("SENDING", "being sent"),
                            ("SENT", "sent"),
                            ("FAILED", "failed"),
                            ("DROPPED", "not sent"),
                        ],
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                (
                    "result",
                    models.CharField(
                        blank=True, default="", max_length=32, verbose_name="latest result"
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                ("together", models.BooleanField(default=False)),
                ("next_at", models.DateTimeField(verbose_name="next attempt")),
                ("lease_until", models.DateTimeField(null=True)),
                ("token", models.CharField(blank=True, default="", max_length=32)),
                ("created_at", models.DateTimeField(verbose_name="created")),
                ("updated_at", models.DateTimeField(verbose_name="changed")),
                (
                    "notice",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="notifications.notice",
                        verbose_name="notice",
                    ),
                ),
                (
                    "receiver",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="to",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "message outside",
                "verbose_name_plural": "messages outside",
                "db_table": "flow_notice_delivery",
                "indexes": [
                    models.Index(
                        fields=["status", "next_at", "id"], name="flow_notice_delivery_due"
                    ),
                    models.Index(
                        fields=["receiver", "medium", "status"], name="flow_notice_delivery_who"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("notice", "medium"), name="flow_notice_delivery_one"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Route",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("assigned", "New task"),
                            ("urge", "Urge"),
                            ("timeout", "Reminder"),
                            ("notice", "Message"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "medium",
                    models.CharField(
                        choices=[
                            ("email", "E-mail"),
                            ("dingtalk", "DingTalk"),
                            ("feishu", "Feishu"),
                            ("lark", "Lark"),
                            ("wecom", "WeCom"),
                            ("slack", "Slack"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "db_table": "flow_notice_route",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "kind", "medium"), name="flow_notice_route_one"
                    )
                ],
            },
        ),
    ]
