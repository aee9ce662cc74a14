from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("coordination", "0001_heartbeat"),
    ]

    operations = [
        migrations.CreateModel(
            name="Round",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("token", models.PositiveBigIntegerField(default=0)),
                ("until", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "coord_round",
            },
        ),
    ]
