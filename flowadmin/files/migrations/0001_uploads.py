"""Make the table of uploaded files."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("directory", "0001_organisation"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="File",
            fields=[
                ("id", models.CharField(max_length=22, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=150)),
                ("size", models.PositiveIntegerField()),
                ("media_type", models.CharField(max_length=100)),
                ("sha256", models.CharField(max_length=64)),
                ("bound_to", models.CharField(blank=True, default="", max_length=120)),
                ("bound_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="directory.tenant",
                    ),
                ),
            ],
            options={
                "db_table": "flow_file",
                "indexes": [
                    models.Index(fields=["bound_to", "created_at"], name="flow_file_bound"),
                    models.Index(fields=["owner", "bound_to"], name="flow_file_owner"),
                ],
            },
        ),
    ]
