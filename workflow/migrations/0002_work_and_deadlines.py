from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.db import migrations, models


def carry_snapshots_over(apps: Any, _editor: Any) -> None:
    """Snapshots of before know neither their number nor their open work; the rows do."""
    instances = apps.get_model("workflow", "Instance").objects
    jobs = apps.get_model("workflow", "Job").objects
    events = apps.get_model("workflow", "Event").objects
    for instance in instances.order_by("pk").iterator(chunk_size=500):
        snapshot = {**instance.snapshot, "number": instance.number}
        mine = list(
            jobs.filter(instance=instance.pk)
            .order_by("number")
            .values_list("number", "kind", "state")
        )
        if mine:
            snapshot["last_job"] = mine[-1][0]
        work = [
            {"number": number, "kind": kind, "activation": number}
            for number, kind, state in mine
            if state in {"pending", "leased"}
        ]
        if work:
            snapshot["work"] = work
        held = events.filter(instance=instance.pk, kind="instance_held").order_by("-position")
        if snapshot.get("held") and (last := held.values_list("payload", flat=True).first()):
            snapshot["incidents"] = {str(json.loads(last)["activation"]): snapshot["held"]}
        instances.filter(pk=instance.pk).update(snapshot=snapshot)


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0001_organisation"),
        ("workflow", "0001_requests"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField("job", "number", models.PositiveIntegerField(default=0)),
        # Until now the work of a step had the number of its activation.
        migrations.RunSQL("UPDATE flow_job SET number = activation", migrations.RunSQL.noop),
        migrations.RemoveConstraint("job", "flow_job_activation"),
        migrations.AlterField("job", "number", models.PositiveIntegerField()),
        migrations.RunPython(carry_snapshots_over, migrations.RunPython.noop),
        migrations.AddField("job", "seat", models.PositiveIntegerField(default=0)),
        migrations.AlterField(
            "job",
            "state",
            models.CharField(
                choices=[
                    ("pending", "pending"),
                    ("leased", "in work"),
                    ("done", "done"),
                    ("cancelled", "cancelled"),
                    ("put_off", "put off"),
                ],
                max_length=10,
                verbose_name="state",
            ),
        ),
        migrations.AddConstraint(
            "job",
            models.UniqueConstraint(fields=("instance", "number"), name="flow_job_number"),
        ),
        migrations.AddField(
            "task",
            "snoozed_until",
            models.DateTimeField(null=True, verbose_name="snoozed until"),
        ),
        migrations.RemoveIndex("task", "flow_task_todo"),
        migrations.AddIndex(
            "task",
            models.Index(
                condition=models.Q(("state", "open")),
                fields=["holder", "-id", "snoozed_until", "due_at"],
                name="flow_task_todo",
            ),
        ),
        migrations.RemoveIndex("task", "flow_task_past"),
        migrations.AddIndex(
            "task",
            models.Index(
                condition=models.Q(("state__in", ["open", "blocked", "handed_on"]), _negated=True),
                fields=["holder", "-decided_at", "-id"],
                name="flow_task_past",
            ),
        ),
    ]
