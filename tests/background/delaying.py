"""A request that waits by itself: `python -m tests.background.delaying` files one, prints its id.

Two seconds from then a delay ends, and the request with it. The installation has people already.
"""

from __future__ import annotations

import sys

import django

DOCUMENT = {
    "flowdoc": 1,
    "key": "later",
    "name": "Later",
    "steps": [{"id": "pause", "kind": "delay", "name": "Pause", "for": "PT2S"}],
}


def main():
    """Publish the process and file a request."""
    django.setup()
    from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up
    from workflow.actions import publishing, requests  # noqa: PLC0415 - after Django's set-up

    ann, admin = (User.objects.get(login=login) for login in ("ann", "admin"))
    publishing.publish(user=admin, document=DOCUMENT, form=None, note="", now=clock.now())
    started = requests.start_request(user=ann, flow="later", values={}, now=clock.now())
    sys.stdout.write(f"{started.outcome.instance_id}\n")


if __name__ == "__main__":
    main()
