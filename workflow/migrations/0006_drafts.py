from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from flowadmin.older_tables import CreateBesideOlder


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("workflow", "0005_scenarios"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateBesideOlder(
            name="Draft",
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
                        choices=[("DESIGN", "design draft"), ("APPLY", "application draft")],
                        db_column="draft_type",
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "flow_key",
                    models.CharField(blank=True, max_length=64, null=True, verbose_name="process"),
                ),
                (
                    "deployment_id",
                    models.CharField(
                        blank=True, max_length=64, null=True, verbose_name="digest of the version"
                    ),
                ),
                (
                    "based_on",
                    models.PositiveIntegerField(
                        blank=True, null=True, verbose_name="based on version"
                    ),
                ),
                (
                    "name",
                    models.CharField(blank=True, max_length=128, null=True, verbose_name="name"),
                ),
                ("content", models.TextField(verbose_name="content")),
                ("files", models.TextField(blank=True, default="", editable=False)),
                ("problems", models.PositiveIntegerField(default=0, verbose_name="problems")),
                (
                    "version",
                    models.PositiveIntegerField(default=1, verbose_name="version of the draft"),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_column="create_time", verbose_name="created"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(db_column="update_time", verbose_name="updated"),
                ),
                (
                    "deleted_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="deleted"),
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
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
            ],
            options={
                "verbose_name": "draft",
                "verbose_name_plural": "drafts",
                "db_table": "flow_draft",
                "indexes": [
                    models.Index(fields=["user", "kind", "deleted_at"], name="flow_draft_owner"),
                    models.Index(fields=["tenant", "kind", "flow_key"], name="flow_draft_process"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApplicationDraft",
            fields=[],
            options={
                "verbose_name": "application draft",
                "verbose_name_plural": "application drafts",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("workflow.draft",),
        ),
        migrations.CreateModel(
            name="DesignDraft",
            fields=[],
            options={
                "verbose_name": "design draft",
                "verbose_name_plural": "design drafts",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("workflow.draft",),
        ),
    ]
