"""Make the table of beat's sign of life."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("ticked_at", models.DateTimeField()),
            ],
            options={
                "db_table": "coord_beat",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="coord_beat_one_row"
                    )
                ],
            },
        ),
    ]
