from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from flowadmin.older_tables import CreateBesideOlder


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("notifications", "0001_notices"),
        ("workflow", "0010_retries_of_jobs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CallbackPurge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("PENDING", "Pending"),
                            ("LEASED", "Sending"),
                            ("SUCCEEDED", "Delivered"),
                            ("FAILED", "Failed"),
                        ],
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("before", models.DateTimeField(verbose_name="unchanged since")),
                ("number", models.PositiveIntegerField(default=0, verbose_name="how many")),
                ("purged_at", models.DateTimeField(verbose_name="removed")),
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
                "verbose_name": "removal of callbacks",
                "verbose_name_plural": "removals of callbacks",
                "db_table": "flow_callback_purge",
            },
        ),
        CreateBesideOlder(
            name="Callback",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "event_id",
                    models.CharField(max_length=64, unique=True, verbose_name="event id"),
                ),
                (
                    "event",
                    models.CharField(blank=True, default="", max_length=12, verbose_name="event"),
                ),
                (
                    "step",
                    models.CharField(blank=True, default="", max_length=48, verbose_name="step"),
                ),
                (
                    "step_name",
                    models.CharField(
                        blank=True, default="", max_length=200, verbose_name="name of the step"
                    ),
                ),
                ("target_url", models.TextField(editable=False)),
                ("host", models.CharField(editable=False, max_length=300)),
                ("profile", models.CharField(default="seed", max_length=8)),
                ("payload", models.TextField(editable=False)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("PENDING", "Pending"),
                            ("LEASED", "Sending"),
                            ("SUCCEEDED", "Delivered"),
                            ("FAILED", "Failed"),
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
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("max_attempts", models.PositiveIntegerField(default=5)),
                ("next_attempt_at", models.DateTimeField(null=True, verbose_name="next attempt")),
                ("lease_until", models.DateTimeField(null=True, verbose_name="leased until")),
                (
                    "lease_owner",
                    models.CharField(
                        blank=True, default="", max_length=80, verbose_name="leased by"
                    ),
                ),
                ("token", models.PositiveIntegerField(default=0)),
                ("history", models.JSONField(default=list, verbose_name="attempts so far")),
                ("created_at", models.DateTimeField(verbose_name="created")),
                ("updated_at", models.DateTimeField(verbose_name="changed")),
                (
                    "initiator",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="initiator",
                    ),
                ),
                (
                    "instance",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.instance",
                        verbose_name="request",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.target",
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
                "verbose_name": "callback",
                "verbose_name_plural": "callbacks",
                "db_table": "flow_callback",
                "indexes": [
                    models.Index(
                        fields=["status", "next_attempt_at", "host", "id"],
                        name="flow_callback_due",
                    ),
                    models.Index(fields=["initiator", "-id"], name="flow_callback_mine"),
                ],
            },
        ),
    ]
