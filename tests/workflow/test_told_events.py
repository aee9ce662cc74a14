"""Every kind of event in words: people, blocks, returns, deadlines, incidents."""

from __future__ import annotations

from datetime import timedelta
from typing import get_args

import pytest

from flowadmin.directory.models import Substitute
from tests.workflow import flows
from tests.workflow.stories import act, lines, told, work
from workflow.actions import administration, approvals, requests
from workflow.engine import commands
from workflow.engine.events import AnyEvent
from workflow.models import Instance, Task
from workflow.wording import timeline

ACTS = {
    "transfer": True,
    "delegate": True,
    "add_before": True,
    "add_after": True,
    "add_with": True,
    "remove_added": True,
    "send_copy": True,
    "give_back": True,
    "return_to": "any",
}


def a_request(ann, later, *steps, **members):
    flows.publish(ann, flows.a_document(*steps, **members), now=later())
    return flows.start(ann, now=later())


def fresh(instance):
    return Instance.objects.get(pk=instance.pk)


def a_block(kind, *branches, **members):
    """A block whose branches each have one approval; ``branches``: (login, condition or None)."""
    return {
        "id": "both",
        "kind": kind,
        "name": "Both",
        "branches": [
            {
                "id": login,
                "name": f"Way of {login}",
                "steps": [flows.approve_step(f"by_{login}", login)],
            }
            | ({} if when is None else {"when": when})
            for login, when in branches
        ],
    } | members


def test_no_kind_of_event_is_forgotten():
    kinds = set(get_args(AnyEvent))
    assert timeline.TELLERS.keys() | timeline.LEFT_OUT == kinds
    assert not timeline.TELLERS.keys() & timeline.LEFT_OUT


def test_a_return_and_straight_back(ann, bao, chi, later):
    steps = flows.approve_step("lead", "bao"), flows.approve_step("top", "chi", acts=ACTS)
    instance = a_request(ann, later, *steps)
    flows.approve(bao, now=later())
    act(chi, commands.Return, to="lead", resume="here", comment="which train?", now=later())
    entries = told(instance)
    assert lines(entries)[4:] == [
        ("returned", f"{chi.name} sent the request back from “Top” to “Lead”"),
        ("assigned", f"Lead → {bao.name}"),
    ]
    assert entries[4].comment == "which train?"
    assert entries[5].why[0] == "The request was sent back to this step"
    flows.approve(bao, now=later())
    back = told(instance)[-1]
    assert back.text == f"Top → {chi.name}"
    assert back.why[0].startswith("The request came straight back here")
    assert [entry.text for entry in told(instance) if entry.current] == [back.text]


def test_back_with_the_initiator_and_on_again(ann, bao, later):
    instance = a_request(ann, later, flows.approve_step("lead", "bao", acts=ACTS))
    act(bao, commands.Return, to="start", now=later())
    assert lines(told(instance))[2:] == [
        ("returned", f"{bao.name} sent the request back from “Lead” to “Initiator”"),
        ("assigned", f"Initiator → {ann.name}"),
    ]
    act(ann, commands.Complete, comment="better now", now=later())
    again = told(instance)[4]
    assert (again.text, again.comment) == (f"{ann.name} sent the request on again", "better now")


def test_a_rejection_that_sends_back(ann, bao, chi, later):
    back = {"then": {"do": "back", "to": "previous"}}
    steps = flows.approve_step("lead", "bao"), flows.approve_step("top", "chi", reject=back)
    instance = a_request(ann, later, *steps)
    flows.approve(bao, now=later())
    flows.reject(chi, now=later())
    assert lines(told(instance))[4:] == [
        ("rejected", f"{chi.name} rejected “Top”"),
        ("returned", "The request goes back to “Lead”"),
        ("assigned", f"Lead → {bao.name}"),
    ]


def test_transfer_and_an_opinion(ann, bao, chi, dan, later):
    instance = a_request(ann, later, flows.approve_step("lead", "bao", acts=ACTS))
    act(bao, commands.Transfer, to=chi.pk, comment="yours", now=later())
    act(chi, commands.Delegate, to=dan.pk, comment="what do you think?", now=later())
    act(dan, commands.HandBack, comment="fine by me", now=later())
    flows.approve(chi, now=later())
    entries = told(instance)[2:]
    assert lines(entries)[:4] == [
        ("reassigned", f"{bao.name} transferred the task “Lead” to {chi.name}"),
        ("reassigned", f"{chi.name} asked {dan.name} for an opinion on “Lead”"),
        ("opinion", f"{dan.name} gave an opinion on “Lead”"),
        ("approved", f"{chi.name} approved “Lead”"),
    ]
    assert [entry.comment for entry in entries[:3]] == [
        "yours", "what do you think?", "fine by me",
    ]  # fmt: skip
    assert entries[3].why == (f"Held before by {bao.name}",)


def test_added_people_and_one_removed(ann, bao, chi, dan, admin, later):
    instance = a_request(ann, later, flows.approve_step("lead", "bao", acts=ACTS))
    act(bao, commands.AddSigners, people=(chi.pk,), place="with", comment="two eyes", now=later())
    act(bao, commands.AddSigners, people=(dan.pk, admin.pk), place="before", now=later())
    seat = Task.objects.get(instance=instance, holder=chi)
    flows_task = Task.objects.get(instance=instance, holder=bao)
    approvals.on_task(
        task=seat,
        user=bao,
        command=commands.RemoveSigner(seat=seat.number, by=bao.pk, comment="no need"),
        now=later(),
    )
    entries = told(instance)[2:]
    assert lines(entries) == [
        ("added", f"{bao.name} added {chi.name} to “Lead”"),
        (
            "added",
            f"{bao.name} added {dan.name}, {admin.name}, who decide “Lead” before {bao.name}",
        ),
        ("closed", f"{bao.name} removed {chi.name} from “Lead”"),
    ]
    assert [entry.comment for entry in entries] == ["two eyes", "", "no need"]
    assert flows_task.state == Task.State.BLOCKED


def test_how_a_vote_came_out(ann, bao, chi, dan, later):
    step = flows.approve_step(
        "lead",
        "bao",
        "chi",
        "dan",
        decide={"mode": "vote", "need": {"num": 2, "den": 3}},
        reject={"counts": "cannot_pass"},
    )
    instance = a_request(ann, later, step)
    assert told(instance)[1].text.endswith("(a vote of 3)")
    flows.reject(bao, now=later())
    flows.approve(chi, now=later())
    flows.approve(dan, now=later())
    entries = told(instance)
    assert entries[2].why == ()
    assert entries[4].why == ("Votes: 2 for it, 1 against it, 0 not cast; needed: 2",)


def test_work_from_a_pool(ann, bao, chi, later):
    step = {
        "id": "pack",
        "kind": "work",
        "name": "Pack",
        "who": {"any_of": [{"by": "user", "ids": ["bao", "chi"]}]},
        "decide": {"mode": "claim"},
        "acts": {"give_back": True},
    }
    instance = a_request(ann, later, step)
    assert told(instance)[1].text == f"Pack → {bao.name}, {chi.name} (2, whoever takes it)"
    act(bao, commands.Claim, now=later())
    act(bao, commands.Release, now=later())
    act(chi, commands.Complete, now=later())
    assert lines(told(instance))[2:5] == [
        ("claimed", f"{bao.name} took “Pack” on"),
        ("claimed", f"{bao.name} gave “Pack” back to the others"),
        ("completed", f"{chi.name} completed “Pack”"),
    ]


def test_a_decision_is_taken_back(ann, bao, chi, later):
    steps = flows.approve_step("lead", "bao"), flows.approve_step("top", "chi")
    instance = a_request(ann, later, *steps, policy={"take_back": {"on": True}})
    task = flows.open_task(bao)
    flows.approve(bao, now=later())
    task.refresh_from_db()
    approvals.take_back(task=task, user=bao, comment="wrong one", now=later())
    entries = told(instance)
    assert lines(entries)[4:] == [("taken_back", f"{bao.name} took the decision on “Lead” back")]
    assert entries[4].comment == "wrong one"
    assert entries[4].current
    assert entries[4].why == (f"No longer needed: {chi.name}",)
    assert not entries[3].current


def test_pause_jump_and_withdrawal(ann, bao, chi, admin, later):
    steps = flows.approve_step("lead", "bao"), flows.approve_step("top", "chi")
    instance = a_request(ann, later, *steps, policy={"initiator_cancel": "while_running"})
    administration.pause(instance=fresh(instance), user=admin, reason="audit", now=later())
    administration.resume(instance=fresh(instance), user=admin, reason="", now=later())
    administration.jump(instance=fresh(instance), to="top", user=admin, reason="now", now=later())
    requests.withdraw(instance=fresh(instance), user=ann, comment="moot", now=later())
    entries = told(instance)[2:]
    assert lines(entries) == [
        ("paused", f"{admin.name} paused the request"),
        ("resumed", f"{admin.name} let the request go on"),
        ("returned", f"{admin.name} moved the request to “Top”"),
        ("assigned", f"Top → {chi.name}"),
        ("finished", f"{ann.name} withdrew the request"),
    ]
    assert [entry.comment for entry in entries] == ["audit", "", "now", "", "moot"]
    assert entries[2].why == (f"No longer needed: {bao.name}",)
    assert entries[3].why[0] == "A manager moved the request to this step"


def test_branches_side_by_side(ann, bao, chi, later):
    instance = a_request(ann, later, a_block("parallel", ("bao", None), ("chi", None), join="all"))
    flows.approve(bao, now=later())
    flows.approve(chi, now=later())
    assert lines(told(instance))[1:] == [
        ("automatic", "Both: these branches run side by side: Way of bao, Way of chi"),
        ("assigned", f"By_Bao → {bao.name}"),
        ("assigned", f"By_Chi → {chi.name}"),
        ("approved", f"{bao.name} approved “By_Bao”"),
        ("automatic", "Both: the branch “Way of bao” has come to its end"),
        ("approved", f"{chi.name} approved “By_Chi”"),
        ("automatic", "Both: complete with 2 of 2 branches"),
        ("finished", "The request was approved"),
    ]


def test_only_the_branches_that_apply(ann, bao, chi, later):
    def above(limit):
        return {"field": "amount", "op": "gt", "value": limit}

    block = a_block("inclusive", ("bao", above("10")), ("chi", above("99999")), join="all")
    instance = a_request(ann, later, block)
    entries = told(instance)
    assert lines(entries)[1:] == [
        ("automatic", "Both: these branches run side by side: Way of bao"),
        ("assigned", f"By_Bao → {bao.name}"),
    ]
    assert entries[1].why == (
        "“Way of bao” runs. Amount > 10.00: true (the value was 12,000.00)",
        "“Way of chi” does not run. Amount > 99,999.00: false (the value was 12,000.00)",
    )


def test_the_process_goes_back_until_its_limit(ann, bao, later):
    when = {"field": "amount", "op": "gt", "value": "10"}
    steps = (
        flows.approve_step("lead", "bao"),
        {"id": "again", "kind": "goto", "name": "Again", "to": "lead", "when": when, "max": 1},
    )
    instance = a_request(ann, later, *steps)
    flows.approve(bao, now=later())
    flows.approve(bao, now=later())
    entries = told(instance)
    assert lines(entries)[3:] == [
        ("automatic", "Again: the request goes back to “Lead”"),
        ("assigned", f"Lead → {bao.name}"),
        ("approved", f"{bao.name} approved “Lead”"),
        ("held", "“Again” is held until a manager acts"),
    ]
    assert entries[3].why == ("Amount > 10.00: true (the value was 12,000.00)",)
    assert entries[4].why[0] == "The process led the request back to this step"
    assert "as often as the process allows" in entries[-1].why[0]
    assert entries[-1].current


@pytest.mark.parametrize(
    ("mode", "line"),
    [
        ("keep_first", "“Top” counts the approval that {bao} gave in “Lead”"),
        ("keep_last", "“Lead” was passed over for {bao}, whom “Top” will ask"),
    ],
)
def test_a_repeated_approver(ann, bao, later, mode, line):
    steps = flows.approve_step("lead", "bao"), flows.approve_step("top", "bao")
    instance = a_request(ann, later, *steps, policy={"dedupe": mode})
    flows.approve(bao, now=later())
    assert ("automatic", line.format(bao=bao.name)) in lines(told(instance))


def test_a_substitute_is_told_with_the_absent_person(ann, bao, chi, later, now):
    Substitute.objects.create(
        tenant=bao.tenant,
        person=bao,
        substitute=chi,
        starts_at=now - timedelta(days=1),
        ends_at=now + timedelta(days=9),
    )
    instance = a_request(ann, later, flows.approve_step("lead", "bao"))
    flows.approve(chi, now=later())
    entries = told(instance)
    assert entries[1].text == f"Lead → {chi.name}"
    assert entries[1].why == (f"{chi.name} (stands in for {bao.name}): named in the process",)
    assert entries[2].why == (f"In place of {bao.name}",)


def test_a_deadline_that_hands_over(ann, bao, chi, later):
    to = {"reassign": {"any_of": [{"by": "user", "ids": ["chi"]}]}}
    step = flows.approve_step("lead", "bao", deadline={"after": 1, "then": to})
    instance = a_request(ann, later, step)
    later()
    work(later)
    entry = told(instance)[2]
    text = f"The deadline of {bao.name} passed: “Lead” is with {chi.name} now"
    assert (entry.state, entry.text, entry.actor, entry.current) == ("timed_out", text, None, True)


@pytest.mark.parametrize(("then", "word"), [("approve", "approved"), ("reject", "rejected")])
def test_a_deadline_that_decides(ann, bao, later, then, word):
    step = flows.approve_step("lead", "bao", deadline={"after": 1, "then": then})
    instance = a_request(ann, later, step)
    later()
    work(later)
    assert lines(told(instance))[2:] == [
        ("timed_out", f"The deadline of {bao.name} passed: “Lead” was {word} automatically"),
        ("finished", f"The request was {word}"),
    ]


def test_an_incident_says_what_a_manager_can_do(ann, later):
    form = {
        "formdoc": 1,
        "fields": [
            {"id": "amount", "type": "amount", "label": "Amount", "required": True},
            {"id": "day", "type": "date", "label": "Departure"},
        ],
    }
    wait = {"id": "wait", "kind": "delay", "name": "Wait", "until_field": "day"}
    document = flows.a_document(wait, flows.approve_step("lead", "bao"))
    flows.publish(ann, document, form, now=later())
    instance = flows.start(ann, now=later())
    work(later)
    entry = told(instance)[-1]
    assert (entry.state, entry.text) == ("held", "“Wait” is held until a manager acts")
    assert entry.why[0].startswith("The field that says how long to wait is empty.")
    assert entry.why[1] == "It is about the field “Departure”"
    assert len(told(instance, shows=lambda field: field != "day")[-1].why) == 1


def test_the_wait_of_a_delay_has_its_moment(ann, later):
    wait = {"id": "wait", "kind": "delay", "name": "Wait", "for": "PT2H"}
    instance = a_request(ann, later, wait, flows.approve_step("lead", "bao"))
    entry = told(instance)[-1]
    assert entry.text.startswith("“Wait” waits until ")
    assert entry.current
    for _ in range(121):
        later()
    work(later)
    assert ("automatic", "“Wait”: the wait is over") in lines(told(instance))


def test_evidence_is_counted(ann, bao, later):
    from workflow.wording.telling import Entry  # noqa: PLC0415 - only here

    instance = a_request(ann, later)
    assert {(entry.files, entry.signed) for entry in told(instance)} == {(0, False)}
    assert {"files", "signed"} <= set(Entry.__dataclass_fields__)
