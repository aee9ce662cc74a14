"""A process with a hidden field, people with one part each, and callers who speak JSON."""

from __future__ import annotations

import json
from itertools import count

import pytest

from flowadmin.directory.models import Department, User
from tests.api.caller import Caller
from tests.builders import a_person
from tests.workflow import flows

PLANTED = "planted-secret-81"
_numbers = count(1)


def a_form():
    """The form of the other tests, with a value in the field that most may not see."""
    form = json.loads(json.dumps(flows.FORM))
    form["fields"][2]["default"] = PLANTED
    return form


def a_document(key="expense", **members):
    """Ann files, chi decides and edits the reason; above 10,000 fay decides and sees it all."""
    return flows.a_document(
        flows.approve_step(
            "lead",
            "chi",
            note="Look at the receipt.",
            fields={"default": "read", "set": {"reason": "edit", "secret": "hide"}},
        ),
        {
            "id": "size",
            "kind": "choice",
            "name": "Size",
            "branches": [
                {
                    "id": "big",
                    "name": "Big",
                    "when": {
                        "all": [
                            {"field": "amount", "op": "gt", "value": "10000"},
                            {"field": "secret", "op": "ne", "value": "x"},
                        ]
                    },
                    "steps": [
                        flows.approve_step("finance", "fay", fields={"default": "edit", "set": {}})
                    ],
                },
                {"id": "small", "name": "Small", "otherwise": True, "steps": []},
            ],
        },
        key=key,
        start={"fields": {"default": "edit", "set": {"secret": "hide"}}},
        **members,
    )


@pytest.fixture
def fay(demo_tenant):
    """A colleague in finance without any role: decides second."""
    unit = Department.objects.get(tenant=demo_tenant, code="finance")
    return a_person(demo_tenant, "fay", name="Fay Sun", department=unit)


@pytest.fixture
def gus(demo_tenant):
    """A colleague who has no part in anything."""
    return a_person(demo_tenant, "gus", name="Gus Hill")


@pytest.fixture
def people(fay, gus):
    """Everybody by login name."""
    return {user.login: user for user in User.objects.select_related("tenant")}


@pytest.fixture
def published(ann, fay, now):
    """The process `expense`, version 1."""
    return flows.publish(ann, a_document(), a_form(), now=now)


@pytest.fixture
def request_of_ann(published, ann, now):
    """A running request that waits for chi."""
    return flows.start(ann, now=now, reason="Train to Kyoto")


@pytest.fixture
def api(client_of):
    """`api(user)` calls the interface in the session of `user`."""
    return lambda user: Caller(client_of(user))
