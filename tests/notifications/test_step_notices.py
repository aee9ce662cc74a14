"""Messages of a process: the step of kind `notice`, and notices on events of steps."""

from __future__ import annotations

import pytest

from notifications.models import Notice
from tests.acceptance.acting import ALL_ACTS, approve, filed, give, human, reject, task_of
from tests.api.caller import Caller
from tests.workflow import stories
from workflow.engine import commands
from workflow.runtime import steps


def carry_out(now):
    for job in steps.due(now):
        claimed = steps.claim(job, "here", now)
        assert claimed is not None
        steps.carry_out(claimed, now)


def messages():
    rows = Notice.objects.filter(kind="notice").order_by("id")
    return list(rows.values_list("receiver__login", "title", "text"))


def tell(*logins, **members):
    step = {
        "id": "say", "kind": "notice", "name": "Say", "title": "About {number}",
        "text": "{form.reason}: {form.secret}", "channel": ["inbox"],
        "who": {"any_of": [{"by": "user", "ids": list(logins)}]},
    }  # fmt: skip
    return step | members


def test_a_step_tells_people_and_goes_on(ann, bao, chi, dan, client_of, now):
    instance = filed(
        ann, tell("chi", "dan"), human("lead", "bao"), now=now,
        values={"reason": "Train", "secret": "42"},
    )  # fmt: skip
    assert messages() == []
    carry_out(now)
    text = "Train: 42"
    assert messages() == [("chi", "About 000001", text), ("dan", "About 000001", text)]
    assert task_of(bao, instance).step == "lead"
    [entry] = [each for each in stories.told(instance) if each.kind == "notice_sent"]
    assert entry.text == "Say: “About 000001” was sent to Chi Wang, Dan Liu"
    read = Caller(client_of(ann)).read(f"instances/{instance.pk}/history/?page_size=100")
    [sent] = [each for each in read["results"] if each["kind"] == "notice_sent"]
    assert sent["data"]["title"] == "About 000001"
    assert "42" not in str(sent), "the text is for whom it was sent to"
    page = client_of(chi).get("/notices/").content.decode()
    assert "About 000001" in page
    assert text in page


@pytest.mark.parametrize(
    ("on", "act", "told"),
    [
        ("assigned", None, ["bao", "ann"]),
        ("approved", lambda one, at: approve(one.bao, one.request, now=at), ["bao", "ann"]),
        ("rejected", lambda one, at: reject(one.bao, one.request, now=at), ["bao", "ann"]),
        (
            "returned",
            lambda one, at: give(one.task, one.bao, commands.Return, to="start", now=at),
            ["bao", "ann"],
        ),
        ("closed", lambda one, at: approve(one.bao, one.request, now=at), ["chi", "ann"]),
    ],
)
def test_on_an_event_of_a_task(ann, bao, chi, now, on, act, told):
    notice = {"on": on, "notice": {"to": ["holder", "initiator"], "text": "Look at it"}}
    people = ["bao", "chi"] if on == "closed" else ["bao"]
    lead = human("lead", *people, acts=ALL_ACTS, on_event=[notice])
    request = filed(ann, lead, now=now)
    if act is not None:
        assert messages() == []
        act(Given(bao, request), now)
    assert messages() == [(login, "Lead", "Look at it") for login in told]


class Given:
    def __init__(self, bao, request):
        self.bao, self.request, self.task = bao, request, task_of(bao, request)


def test_managers_when_a_deadline_passes(ann, bao, now):
    told = {"on": "timed_out", "notice": {"to": ["managers"], "text": "Late"}}
    lead = human("lead", "bao", deadline={"after": 60, "then": "approve"}, on_event=[told])
    managers = {"any_of": [{"by": "user", "ids": ["dan", "chi"]}]}
    filed(ann, lead, human("next", "bao"), managers=managers, now=now)
    carry_out(now.replace(hour=11))
    assert messages() == [("dan", "Lead", "Late"), ("chi", "Lead", "Late")]
