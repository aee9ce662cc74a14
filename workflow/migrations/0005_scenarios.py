from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("workflow", "0004_publications"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ScenarioSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("scenarios", models.JSONField(default=list, verbose_name="scenarios")),
                ("results", models.JSONField(default=list, verbose_name="results")),
                (
                    "require_green",
                    models.BooleanField(default=False, verbose_name="all of them must be green"),
                ),
                ("changed_at", models.DateTimeField(verbose_name="changed")),
                (
                    "changed_by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="changed by",
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
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scenario_set",
                        to="workflow.version",
                        verbose_name="process version",
                    ),
                ),
            ],
            options={
                "verbose_name": "scenarios",
                "verbose_name_plural": "scenarios",
                "db_table": "flow_scenarios",
            },
        ),
    ]
