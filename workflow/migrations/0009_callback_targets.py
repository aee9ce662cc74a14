from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("workflow", "0008_saved_views"),
    ]

    operations = [
        migrations.CreateModel(
            name="Target",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200, verbose_name="key")),
                ("url", models.CharField(max_length=2000, verbose_name="address")),
                ("https_only", models.BooleanField(default=True, verbose_name="https only")),
                (
                    "profile",
                    models.CharField(
                        choices=[
                            ("seed", "5 attempts within 8 minutes"),
                            ("long", "8 attempts within 2 days"),
                        ],
                        default="seed",
                        max_length=8,
                        verbose_name="retries",
                    ),
                ),
                (
                    "fields",
                    models.JSONField(
                        blank=True, default=list, verbose_name="fields that it may see"
                    ),
                ),
                ("sealed", models.TextField(blank=True, default="", editable=False)),
                ("previous_sealed", models.TextField(blank=True, default="", editable=False)),
                (
                    "previous_until",
                    models.DateTimeField(null=True, verbose_name="former secret valid until"),
                ),
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
                "verbose_name": "callback target",
                "verbose_name_plural": "callback targets",
                "db_table": "flow_target",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "key"), name="flow_target_key")
                ],
            },
        ),
    ]
