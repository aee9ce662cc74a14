"""Make an installation ready for load: `python -m tests.chaos.furnish`, in its environment.

Prints the tokens of the people that clients act as, as one JSON object.
"""

from __future__ import annotations

import io
import json
import os
import sys

import django

# Whoever files, whoever decides; admin decides last. Two clients act as each person at the most.
PEOPLE = ("ann", "bao", "chi", "dan", "admin")

FORM = {
    "formdoc": 1,
    "fields": [
        {"id": "marker", "type": "text", "label": "Marker", "required": True},
        {"id": "amount", "type": "amount", "label": "Amount", "required": True},
    ],
}


def approval(step, *logins, mode="any"):
    """An approval by these people."""
    return {
        "id": step,
        "kind": "approve",
        "name": step.title(),
        "who": {"any_of": [{"by": "user", "ids": list(logins)}]},
        "decide": {"mode": mode},
    }


def copy(step):
    """A copy for ann: a job that a worker has to do before the next approval begins."""
    return {
        "id": step,
        "kind": "copy",
        "name": step.title(),
        "who": {"any_of": [{"by": "user", "ids": ["ann"]}]},
    }


# Every way in which seats meet: alone, the first of two decides, both must; and work between.
PROCESS = {
    "flowdoc": 1,
    "key": "chaos",
    "name": "Chaos",
    "form": {"key": "chaos"},
    "title": "{form.marker}",
    "steps": [
        copy("tell"),
        approval("lead", "bao"),
        {
            "id": "size",
            "kind": "choice",
            "name": "Size",
            "branches": [
                {
                    "id": "large",
                    "name": "Large",
                    "when": {"field": "amount", "op": "gt", "value": "1000"},
                    "steps": [approval("panel", "chi", "dan", mode="all")],
                },
                {
                    "id": "small",
                    "name": "Small",
                    "otherwise": True,
                    "steps": [approval("desk", "chi", "dan")],
                },
            ],
        },
        copy("file"),
        approval("close", "admin"),
    ],
}


def main():
    """Migrate, make the people, publish the process, print the tokens."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowadmin.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 - after Django's set-up

    from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
    from flowadmin.directory.demo import make_people  # noqa: PLC0415 - after Django's set-up
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up
    from workflow.actions import publishing  # noqa: PLC0415 - after Django's set-up

    call_command("migrate", verbosity=0, interactive=False)
    make_people()
    publishing.publish(
        user=User.objects.get(login="admin"),
        document=PROCESS,
        form=FORM,
        note="",
        now=clock.now(),
    )
    tokens = {}
    for login in PEOPLE:
        said = io.StringIO()
        call_command("api_token", login, stdout=said)
        tokens[login] = said.getvalue().split()[-1]
    sys.stdout.write(json.dumps(tokens) + "\n")


if __name__ == "__main__":
    main()
