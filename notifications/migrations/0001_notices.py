from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from flowadmin.older_tables import CreateBesideOlder


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("workflow", "0005_scenarios"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateBesideOlder(
            name="Notice",
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
                        verbose_name="kind",
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("PENDING", "waiting"),
                            ("SENT", "sent"),
                            ("CANCELLED", "cancelled"),
                            ("DISABLED", "off"),
                        ],
                        max_length=12,
                        verbose_name="state",
                    ),
                ),
                (
                    "title",
                    models.CharField(blank=True, default="", max_length=200, verbose_name="title"),
                ),
                ("text", models.TextField(blank=True, default="", verbose_name="text")),
                (
                    "reminder_key",
                    models.CharField(
                        default=None, max_length=64, null=True, verbose_name="task of the reminder"
                    ),
                ),
                ("scheduled_at", models.DateTimeField(null=True, verbose_name="due")),
                ("recipients", models.CharField(blank=True, default="", max_length=40)),
                ("later", models.JSONField(null=True)),
                ("created_at", models.DateTimeField(verbose_name="created")),
                ("sent_at", models.DateTimeField(null=True, verbose_name="sent")),
                ("read_at", models.DateTimeField(null=True, verbose_name="read")),
                (
                    "instance",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.instance",
                        verbose_name="request",
                    ),
                ),
                (
                    "receiver",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="to",
                    ),
                ),
                (
                    "sender",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="from",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.task",
                        verbose_name="task",
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
                "verbose_name": "notice",
                "verbose_name_plural": "notices and reminders",
                "db_table": "flow_notice",
                "indexes": [
                    models.Index(fields=["receiver", "-sent_at", "-id"], name="flow_notice_list"),
                    models.Index(
                        condition=models.Q(("read_at__isnull", True), ("status", "SENT")),
                        fields=["receiver"],
                        name="flow_notice_unread",
                    ),
                    models.Index(fields=["status", "scheduled_at", "id"], name="flow_notice_due"),
                    models.Index(
                        condition=models.Q(("kind", "urge")),
                        fields=["instance", "-created_at"],
                        name="flow_notice_urges",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "reminder_key"), name="flow_notice_reminder"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Urge",
            fields=[],
            options={
                "verbose_name": "urge",
                "verbose_name_plural": "urges",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("notifications.notice",),
        ),
    ]
