from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("workflow", "0002_work_and_deadlines"),
    ]

    operations = [
        migrations.CreateModel(
            name="Call",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("step", models.CharField(max_length=48, verbose_name="step")),
                ("event_id", models.CharField(max_length=40, unique=True)),
                ("mode", models.CharField(max_length=16, verbose_name="mode")),
                ("method", models.CharField(max_length=8, verbose_name="method")),
                ("url", models.TextField(verbose_name="address")),
                ("headers", models.JSONField(default=list, verbose_name="headers")),
                ("body", models.TextField(blank=True, default="")),
                ("timeout_seconds", models.PositiveIntegerField()),
                ("retry", models.CharField(blank=True, default="", max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("leased", "in work"),
                            ("waiting", "waiting for the answer"),
                            ("answered", "answered"),
                            ("done", "done"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                (
                    "result",
                    models.CharField(blank=True, default="", max_length=32, verbose_name="result"),
                ),
                ("attempts", models.PositiveIntegerField(default=0, verbose_name="attempts")),
                ("due_at", models.DateTimeField(verbose_name="due")),
                ("lease_until", models.DateTimeField(null=True, verbose_name="leased until")),
                (
                    "lease_owner",
                    models.CharField(
                        blank=True, default="", max_length=80, verbose_name="leased by"
                    ),
                ),
                ("token", models.PositiveIntegerField(default=0)),
                ("history", models.JSONField(default=list, verbose_name="attempts so far")),
                ("reply_salt", models.CharField(blank=True, default="", max_length=40)),
                ("reply_hash", models.CharField(max_length=64, null=True, unique=True)),
                ("answer", models.JSONField(null=True)),
                ("answer_hash", models.CharField(blank=True, default="", max_length=64)),
                ("created_at", models.DateTimeField(verbose_name="created")),
                (
                    "instance",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.instance",
                    ),
                ),
                (
                    "job",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="call",
                        to="workflow.job",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="directory.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "call",
                "verbose_name_plural": "calls",
                "db_table": "flow_call",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["pending", "leased"])),
                        fields=["due_at", "id"],
                        name="flow_call_due",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ChildRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("activation", models.PositiveIntegerField()),
                ("number", models.PositiveIntegerField()),
                ("depth", models.PositiveIntegerField()),
                ("awaited", models.BooleanField(default=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "in progress"), ("ended", "ended")],
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("unwanted", models.BooleanField(default=False)),
                (
                    "child",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="parent_link",
                        to="workflow.instance",
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.job",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="child_links",
                        to="workflow.instance",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="directory.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "started request",
                "verbose_name_plural": "started requests",
                "db_table": "flow_child",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "running"), ("unwanted", True)),
                        fields=["id"],
                        name="flow_child_unwanted",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("parent", "activation", "number"), name="flow_child_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Secret",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200, verbose_name="key")),
                ("sealed", models.TextField(editable=False)),
                ("changed_at", models.DateTimeField(verbose_name="changed")),
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
                "verbose_name": "secret",
                "verbose_name_plural": "secrets",
                "db_table": "flow_secret",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "key"), name="flow_secret_key")
                ],
            },
        ),
    ]
