"""Make the table of stored first answers."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    # The first migration of the user model's app makes the tenants as well.
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="StoredRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("route", models.CharField(max_length=120)),
                ("key", models.CharField(max_length=128)),
                ("body_hash", models.CharField(max_length=64)),
                ("status", models.SmallIntegerField()),
                ("body", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="directory.tenant",
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
                "db_table": "flow_request",
                "indexes": [models.Index(fields=["created_at"], name="flow_request_created")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "route", "key"), name="flow_request_key"
                    )
                ],
            },
        ),
    ]
