"""Form rights at each step, comments, title, and what a decision was based on."""

from __future__ import annotations

import pytest

from tests.engine.builders import a_field, approve, drive, users
from workflow.engine.events import Commented, FormChanged, InstanceStarted, TaskApproved
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen
from workflow.engine.state import InstanceState
from workflow.forms.digest import values_digest

FORM = [
    a_field("days", "integer", required=True),
    a_field("note", "long_text"),
    a_field("secret", "text"),
]


def codes(refused):
    return [(finding.code, finding.at) for finding in refused.findings]


def test_a_start_checks_every_field_at_once_and_files_nothing(org):
    request = drive(org, approve("lead", users("bao")), form=FORM)
    refused = request.refused(request.starting(days="two", ghost="x"), Invalid, "form.invalid")
    assert codes(refused) == [("form.bad_value", "/days"), ("form.unknown_field", "/ghost")]
    refused = request.refused(request.starting(), Invalid, "form.invalid")
    assert codes(refused) == [("form.required", "/days")]


def test_a_process_without_a_form_takes_no_values(org):
    request = drive(org, approve("lead", users("bao")))
    refused = request.refused(request.starting(days=2), Invalid, "form.invalid")
    assert codes(refused) == [("form.unknown_field", "/days")]
    request.start()
    refused = request.refused(request.approving("bao", days=2), Invalid, "form.invalid")
    assert codes(refused) == [("form.unknown_field", "/days")]


def test_rights_of_the_start(org):
    start = {"fields": {"set": {"note": "must", "secret": "hide", "days": "read"}}}
    form = [a_field("days", "integer", default=1), *FORM[1:]]
    request = drive(org, approve("lead", users("bao")), form=form, start=start)
    refused = request.refused(request.starting(secret="x", days=3), Invalid, "form.invalid")
    assert codes(refused) == [
        ("form.not_editable", "/days"),
        ("form.required", "/note"),
        ("form.unknown_field", "/secret"),
    ]
    request.start(note="hello")
    assert request.state.values == {"days": 1, "note": "hello"}


@pytest.mark.parametrize("right", ["hide", "read", "edit", "must"])
def test_rights_of_a_step(org, right):
    """Acceptance test 73: what is editable can be edited, the rest is refused by the server."""
    lead = approve("lead", users("bao"), fields={"set": {"note": right}})
    request = drive(org, lead, form=FORM)
    request.start(days=2, note="old")
    command = request.approving("bao", note="new")
    if right == "hide":
        refused = request.refused(command, Invalid, "form.invalid")
        assert codes(refused) == [("form.unknown_field", "/note")]
    elif right == "read":
        refused = request.refused(command, Invalid, "form.invalid")
        assert codes(refused) == [("form.not_editable", "/note")]
    else:
        request.give(command)
        assert request.of(FormChanged) == [FormChanged(changes={"note": "new"})]
        assert request.state.values == {"days": 2, "note": "new"}


def test_must_is_needed_to_approve_and_not_to_reject(org):
    lead = approve("lead", users("bao"), fields={"set": {"note": "must"}})
    request = drive(org, lead, form=FORM)
    request.start(days=2)
    refused = request.refused(request.approving("bao"), Invalid, "form.invalid")
    assert codes(refused) == [("form.required", "/note")]
    request.reject("bao")
    assert request.state.status is InstanceState.REJECTED


def test_a_rejection_may_not_change_what_may_not_be_changed(org):
    request = drive(org, approve("lead", users("bao")), form=FORM)
    request.start(days=2)
    refused = request.refused(request.rejecting("bao", days=3), Invalid, "form.invalid")
    assert codes(refused) == [("form.not_editable", "/days")]


def test_what_is_not_changed_makes_no_event(org):
    lead = approve("lead", users("bao"), fields={"default": "edit"})
    request = drive(org, lead, form=FORM)
    request.start(days=2)
    request.approve("bao", days=2)
    assert not request.of(FormChanged)


def test_a_field_can_be_emptied(org):
    lead = approve("lead", users("bao"), fields={"default": "edit"})
    request = drive(org, lead, form=FORM)
    request.start(days=2, note="x")
    request.approve("bao", note=None)
    assert request.of(FormChanged) == [FormChanged(changes={"note": None})]
    assert request.state.values == {"days": 2}


def test_a_past_decision_keeps_the_digest_of_what_was_seen(org):
    """Acceptance test 76: of the values after the person's own changes, and only the visible."""
    first = approve("lead", users("bao"), fields={"default": "edit", "set": {"secret": "hide"}})
    second = approve("top", users("kim"))
    request = drive(org, first, second, form=FORM)
    request.start(days=2, secret="s")
    request.approve("bao", note="seen")
    request.approve("kim")
    lead, top = request.of(TaskApproved)
    assert lead.form == values_digest({"days": 2, "note": "seen"})
    assert top.form == values_digest({"days": 2, "note": "seen", "secret": "s"})
    (started,) = request.of(InstanceStarted)
    assert started.values == {"days": 2, "secret": "s"}


# Comments.


@pytest.mark.parametrize(
    ("policy", "evidence", "act", "blank", "said"),
    [
        ("never", "may", "approve", None, None),
        ("never", "must", "approve", "comment.required", None),
        ("never", "must", "reject", "comment.required", None),
        ("never", "no", "approve", None, "comment.not_taken"),
        ("on_reject", "may", "approve", None, None),
        ("on_reject", "may", "reject", "comment.required", None),
        ("on_reject", "no", "reject", "comment.required", None),
        ("on_reject", "no", "approve", None, "comment.not_taken"),
        ("always", "may", "approve", "comment.required", None),
        ("always", "no", "reject", "comment.required", None),
    ],
)
@pytest.mark.parametrize("words", ["", "  \n ", "because"])
def test_when_a_comment_is_needed_and_when_it_is_not_taken(
    org, policy, evidence, act, blank, said, words
):
    lead = approve("lead", users("bao"), evidence={"comment": evidence})
    request = drive(org, lead, policy={"comment": policy})
    request.start()
    command = (request.approving if act == "approve" else request.rejecting)("bao", words)
    code = said if words.strip() else blank
    if code is None:
        request.give(command)
        assert request.state.status is not InstanceState.RUNNING
    else:
        assert codes(request.refused(command, Invalid, code)) == [(code, "/comment")]


def test_a_comment_without_a_decision_decides_nothing(org):
    request = drive(org, approve("lead", users("bao")))
    request.start()
    before = request.state
    request.comment("ann", "please hurry")
    assert request.of(Commented)[0].comment == "please hurry"
    assert request.state.activations == before.activations
    assert request.state.position == before.position + 1


# Who may start, and the order of refusals.


def test_who_may_start(org):
    start = {"who": {"any_of": [{"by": "department", "ids": ["engineering"], "deep": True}]}}
    request = drive(org, approve("lead", users("bao")), start=start)
    request.refused(request.starting("chi"), NotAllowed, "start.not_allowed")
    request.start("pia")


def test_a_disabled_or_unknown_person_starts_nothing(org):
    request = drive(org, approve("lead", users("bao")))
    org.disable("ann")
    command = request.starting("ann")
    request.refused(command, NotAllowed, "start.not_allowed")
    del org.people["ann"]
    request.refused(command, NotAllowed, "start.not_allowed")


def test_who_may_not_start_learns_nothing_of_the_form(org):
    """403 comes before 422."""
    request = drive(org, approve("lead", users("bao")), form=FORM, start={"who": users("dan")})
    request.refused(request.starting("ann", ghost=1), NotAllowed, "start.not_allowed")
    request.refused(request.starting("dan", ghost=1), Invalid, "form.invalid")


# The title.


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("{initiator.name} {flow.name}", "Ann Leave"),
        ("{number}: {form.days} from {today}", "L-1: 2 from 2026-03-02"),
        ("{form.note}", "Ann Leave"),
        ("  a \n b  {form.days}", "a b 2"),
        ("{form.secret}", "{number} {{initiator.name}}"),
    ],
)
def test_the_title_is_filled_in_once(org, title, expected):
    """Nothing in a value is a placeholder, and a title is never blank."""
    request = drive(org, approve("lead", users("bao")), form=FORM, title=title)
    request.start(days=2, secret="{number} {{initiator.name}}")
    (started,) = request.of(InstanceStarted)
    assert started.title == expected


def test_a_long_title_is_cut(org):
    request = drive(org, approve("lead", users("bao")), form=FORM, title="{form.note}")
    request.start(days=1, note="x" * 5000)
    (started,) = request.of(InstanceStarted)
    assert started.title == "x" * 200


def test_a_decision_on_an_ended_request_is_late_before_it_is_wrong(org):
    """409 comes before 422."""
    request = drive(org, approve("lead", users("bao")), form=FORM)
    request.start(days=2)
    wrong = request.approving("bao", ghost=1)
    request.approve("bao")
    request.refused(wrong, NotOpen, "task.not_open")
