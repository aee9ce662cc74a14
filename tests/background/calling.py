"""Requests that ask outside: `python -m tests.background.calling URL` files two, prints their ids.

The first calls the address and saves its answer; the second starts a request that ends by itself.
"""

from __future__ import annotations

import sys

import django

NOTE = {"formdoc": 1, "fields": [{"id": "note", "type": "text", "label": "Note"}]}
ENDS = {"flowdoc": 1, "key": "ends", "name": "Ends", "steps": [
    {"id": "yes", "kind": "auto", "name": "Yes", "verdict": "approve"},
]}  # fmt: skip
STARTS = {"flowdoc": 1, "key": "starts", "name": "Starts", "steps": [
    {"id": "ask", "kind": "subflow", "name": "Ask", "flow": "ends", "version": 1},
]}  # fmt: skip


def calls(url):
    return {"flowdoc": 1, "key": "calls", "name": "Calls", "form": {"key": "calls"}, "steps": [
        {"id": "call", "kind": "http", "name": "Call", "method": "POST", "url": url,
         "body": '{"number": "{number}"}', "retry": "default",
         "save": [{"pointer": "/note", "to": {"field": "note"}, "type": "text"}]},
    ]}  # fmt: skip


def main():
    """Publish the processes and file one request of each."""
    django.setup()
    from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up
    from workflow.actions import publishing, requests  # noqa: PLC0415 - after Django's set-up

    ann, admin = (User.objects.get(login=login) for login in ("ann", "admin"))
    for document, form in ((calls(sys.argv[1]), NOTE), (ENDS, None), (STARTS, None)):
        publishing.publish(user=admin, document=document, form=form, note="", now=clock.now())
    for flow in ("calls", "starts"):
        started = requests.start_request(user=ann, flow=flow, values={}, now=clock.now())
        sys.stdout.write(f"{started.outcome.instance_id}\n")


if __name__ == "__main__":
    main()
