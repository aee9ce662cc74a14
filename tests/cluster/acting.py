"""People at work in a process of their own: `python -m tests.cluster.acting furnish|bring …`.

`furnish` migrates an empty database, makes the demo organisation's people and publishes two
processes; `bring copy auto` files a request of each and approves it, so that its automatic step
is due, and prints the requests' ids.
"""

from __future__ import annotations

import sys

import django

FORM = {
    "formdoc": 1,
    "fields": [{"id": "amount", "type": "amount", "label": "Amount", "required": True}],
}
LEAD = {
    "id": "lead",
    "kind": "approve",
    "name": "Lead",
    "who": {"any_of": [{"by": "user", "ids": ["bao"]}]},
}
# chi and dan are of finance: two copies.
STEPS = {
    "copy": {
        "id": "tell",
        "kind": "copy",
        "name": "Tell finance",
        "who": {"any_of": [{"by": "department", "ids": ["finance"]}]},
    },
    "auto": {"id": "yes", "kind": "auto", "name": "Yes", "verdict": "approve", "reason": "small"},
}


def furnish():
    """Make an empty database ready."""
    from django.core.management import call_command  # noqa: PLC0415 - after Django's set-up

    from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
    from flowadmin.directory.demo import make_people  # noqa: PLC0415 - after Django's set-up
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up
    from workflow.actions import publishing  # noqa: PLC0415 - after Django's set-up

    call_command("migrate", verbosity=0, interactive=False)
    make_people()
    for key, step in STEPS.items():
        document = {
            "flowdoc": 1,
            "key": key,
            "name": key.title(),
            "form": {"key": key},
            "steps": [LEAD, step],
        }
        publishing.publish(
            user=User.objects.get(login="admin"),
            document=document,
            form=FORM,
            note="",
            now=clock.now(),
        )


def bring(key):
    """File a request and approve it; its id."""
    from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up
    from workflow import access, queries  # noqa: PLC0415 - after Django's set-up
    from workflow.actions import approvals, requests  # noqa: PLC0415 - after Django's set-up

    ann, bao = (User.objects.get(login=login) for login in ("ann", "bao"))
    started = requests.start_request(user=ann, flow=key, values={"amount": "12"}, now=clock.now())
    task = access.own_task(bao, queries.inbox(bao, limit=1)[0].id)
    approvals.approve(task=task, user=bao, version=task.version, now=clock.now())
    return started.outcome.instance_id


def main():
    """Do the one thing that the arguments say."""
    django.setup()
    if sys.argv[1] == "furnish":
        furnish()
    else:
        sys.stdout.write(" ".join(str(bring(key)) for key in sys.argv[2:]) + "\n")


if __name__ == "__main__":
    main()
