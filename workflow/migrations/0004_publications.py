from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def tell_past_publications(apps: Any, schema_editor: Any) -> None:
    """What the versions say of the past: each was published in its turn, then the pointer moved."""
    definitions = apps.get_model("workflow", "Definition").objects
    versions = apps.get_model("workflow", "Version").objects
    publication = apps.get_model("workflow", "Publication")
    for definition in definitions.order_by("pk").iterator(chunk_size=500):
        before = None
        rows = []
        published = versions.filter(definition=definition.pk).order_by("number")
        for pk, by, at in published.values_list("pk", "published_by_id", "published_at"):
            rows.append((before, pk, by, at))
            before = pk
        if rows and definition.current_id not in {None, before}:
            # An earlier document was published again; nobody kept by whom.
            rows.append((before, definition.current_id, None, rows[-1][3]))
        publication.objects.bulk_create(
            [
                publication(
                    tenant_id=definition.tenant_id,
                    definition_id=definition.pk,
                    kind="published",
                    before_id=earlier,
                    after_id=later,
                    by_id=by,
                    at=at,
                )
                for earlier, later, by, at in rows
            ],
            batch_size=500,
        )


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0002_absence_and_calendars"),
        ("workflow", "0003_outside"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Publication",
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
                        choices=[
                            ("published", "version published"),
                            ("undone", "publication undone"),
                            ("suspended", "suspended"),
                            ("resumed", "resumed"),
                        ],
                        max_length=10,
                        verbose_name="what was done",
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True, default="", max_length=2000, verbose_name="reason"
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="moment")),
                (
                    "after",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.version",
                        verbose_name="version after",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="workflow.version",
                        verbose_name="version before",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="done by",
                    ),
                ),
                (
                    "definition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publications",
                        to="workflow.definition",
                        verbose_name="process",
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
                "verbose_name": "publication",
                "verbose_name_plural": "publications",
                "db_table": "flow_publication",
            },
        ),
        migrations.RunPython(tell_past_publications, migrations.RunPython.noop),
    ]
