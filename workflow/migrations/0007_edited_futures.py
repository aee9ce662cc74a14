"""Versions of one request alone, and who else may see the requests of a version.

Every version so far lets its participants see its requests: no other policy was published.
"""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("workflow", "0006_drafts"),
    ]

    operations = [
        migrations.AddField(
            model_name="version",
            name="edition",
            field=models.PositiveBigIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name="version",
            name="private_to",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="own_versions",
                to="workflow.instance",
                verbose_name="request",
            ),
        ),
        migrations.AddField(
            model_name="version",
            name="visibility",
            field=models.CharField(
                choices=[
                    ("participants", "participants"),
                    ("managers", "managers of the process"),
                    ("starters_department", "department of whoever files it"),
                ],
                default="participants",
                max_length=20,
                verbose_name="visibility",
            ),
        ),
        # First the new one: MariaDB needs an index below the key of the process at all times.
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(
                fields=("definition", "number", "edition"), name="flow_version_edition"
            ),
        ),
        migrations.RemoveConstraint(model_name="version", name="flow_version_number"),
    ]
