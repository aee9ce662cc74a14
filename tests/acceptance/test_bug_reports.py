"""Bug reports of other systems, as far as the engine and its workers answer them."""

from __future__ import annotations

import builtins
import importlib
import json
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connections

from tests.acceptance.acting import (
    ALL_ACTS,
    approve,
    filed,
    fresh,
    give,
    human,
    in_box,
    kinds,
    open_now,
    task_of,
    waiting_jobs,
    work,
)
from tests.acceptance.bug_reports import REPORTS
from tests.builders import a_person
from tests.engine import builders
from tests.engine import test_blocks as blocks
from tests.engine.builders import a_field, choice, drive, users
from tests.engine.test_blocks import one, open_steps
from tests.engine.test_going_back import holders
from tests.workflow import flows
from workflow.actions import publishing, requests
from workflow.engine.commands import Complete, Delegate, HandBack, Return
from workflow.engine.rejections import Invalid
from workflow.engine.state import InstanceState
from workflow.models import Event, Instance, Job, Task
from workflow.runtime import steps

GIVEN = Path(__file__).parents[3] / "shared" / "cases" / "bug_reports.json"


def test_every_given_report_has_its_place() -> None:
    """Each report of the list is in our table, in its area."""
    if not GIVEN.exists():
        pytest.skip("the list of bug reports is not beside the checkout")
    given = json.loads(GIVEN.read_text(encoding="utf-8"))
    assert {each["id"]: each["area"] for each in given} == {
        name: report.area for name, report in REPORTS.items()
    }


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_each_report_is_proved_or_says_what_it_waits_for(name) -> None:
    """Every proof that is named exists and is a test."""
    report = REPORTS[name]
    assert report.proofs or report.waits
    for proof in report.proofs:
        module, _colon, function = proof.partition(":")
        assert function.startswith("test_")
        assert callable(getattr(importlib.import_module(module), function))


def test_br23_a_choice_without_otherwise_is_not_published(ann) -> None:
    """Data for which no condition holds would have no way to go: refused, with the position."""
    ways = [
        {"id": f"way_{number}", "name": "Way", "steps": [],
         "when": {"field": "amount", "op": "gt", "value": str(number)}}
        for number in (1, 2)
    ]  # fmt: skip
    size = {"id": "size", "kind": "choice", "name": "Size", "branches": ways}
    checked = publishing.check(ann.tenant_id, flows.a_document(size), flows.FORM)
    assert not checked.ok
    assert ("branch.no_otherwise", "/document/steps/0/branches") in {
        (each.code, each.at) for each in checked.findings
    }


@pytest.mark.parametrize(("days", "inside"), [(9, "by_chi"), (1, None)])
def test_br25_a_choice_inside_a_branch_does_not_keep_the_join_waiting(org, days, inside) -> None:
    """Whether the condition inside the branch holds or not, the join gets its arrival."""
    long = {"field": "days", "op": "ge", "value": 5}
    nested = choice("long", (long, [one("chi")]), (None, []))
    request = drive(
        org,
        blocks.block("p", [nested], [one("dan")]),
        one("kim"),
        form=[a_field("days", "integer")],
    )
    request.start(days=days)
    if inside:
        request.approve("chi")
    assert open_steps(request) == ["by_dan"]
    request.approve("dan")
    assert open_steps(request) == ["by_kim"]


def test_br27_a_return_to_three_people_makes_three_tasks(ann, bao, chi, dan, fay, later) -> None:
    """All three get a new task, the one who returned has none, and the request is running."""
    team = human("team", "bao", "chi", "dan", mode="all")
    instance = filed(ann, team, human("top", "fay", acts=ALL_ACTS), now=later())
    for person in (bao, chi, dan):
        approve(person, instance, now=later())
    given = give(task_of(fay, instance), fay, Return, to="team", now=later())
    assert open_now(instance) == {"bao": "team", "chi": "team", "dan": "team"}
    assert given.state not in {"open", "blocked"}
    assert fresh(instance).state == "running"
    assert in_box(bao) == in_box(chi) == in_box(dan) == [instance.pk]


def test_br65_two_of_three_pass_although_the_first_rejected(org) -> None:
    """Half is needed: the first says no, the second yes, the third yes: it passes."""
    vote = {"mode": "vote", "need": {"num": 1, "den": 2}}
    rule = {"counts": "cannot_pass"}
    lead = builders.approve("lead", users("bao", "chi", "dan"), decide=vote, reject=rule)
    request = drive(org, lead)
    request.start()
    request.reject("bao")
    request.approve("chi")
    assert holders(request) == ["dan"]
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED


def test_br71_opinions_go_back_the_way_they_came(ann, bao, chi, dan, later) -> None:
    """Bao asks chi, chi asks dan: dan's opinion goes to chi, chi's to bao, who decides."""
    instance = filed(ann, human("lead", "bao", acts=ALL_ACTS), now=later())
    give(task_of(bao, instance), bao, Delegate, to=chi.pk, now=later())
    give(task_of(chi, instance), chi, Delegate, to=dan.pk, now=later())
    for person, following in ((dan, "chi"), (chi, "bao")):
        give(task_of(person, instance), person, HandBack, comment="yes", now=later())
        assert open_now(instance) == {following: "lead"}
    approve(bao, instance, now=later())
    assert fresh(instance).state == "approved"


def test_br63_people_picked_for_two_branches_are_both_kept(ann, bao, chi, later) -> None:
    """Picked when filing, for a step in each branch: each branch asks its own people."""
    picked = {"any_of": [{"by": "picked_at_start", "min": 1, "max": 2}]}
    branches = [
        {"id": f"way_{side}", "name": side, "steps": [human(side, who=picked)]}
        for side in ("left", "right")
    ]
    both = {"id": "p", "kind": "parallel", "name": "P", "join": "all", "branches": branches}
    flows.publish(ann, flows.a_document(both), now=later())
    settled = requests.start_request(
        user=ann, flow="expense", values={"amount": "1"}, now=later(),
        picked={"left": [bao.pk], "right": [chi.pk]},
    )  # fmt: skip
    assert settled.outcome is not None
    instance = Instance.objects.get(pk=settled.outcome.instance_id)
    assert open_now(instance) == {"bao": "left", "chi": "right"}


# Text and values -------------------------------------------------------------------------------

TRICKS = [
    "__import__('sys').modules", "().__class__.__bases__[0].__subclasses__()", "${7*7}",
    "#{T(java.lang.Runtime).getRuntime().exec('id')}", "{0.__class__.__init__.__globals__}",
    "{initiator.__class__}", "{form.__class__.__mro__}", "{form.amount!r:>99999999}",
    "%(name)s %n %s", "{{7*7}}", "{% debug %}", "getattr(x, 'y')", "lambda: 1/0",
    "[x for x in range(10**9)]", "9**9**9", "eval('1')", "exec(\"import os\")", "`id`", "$(id)",
    "'; DROP TABLE flow_instance; --", "\\u0000x", "{" * 400, "breakpoint()", "f'{1/0}'",
]  # fmt: skip


def _overheard(real: Any, trick: str, ran: list[str]) -> Any:
    """The real function; it notes when it is given the trick."""

    def called(*arguments: Any, **named: Any) -> Any:
        if trick[:20] in str(arguments):
            ran.append(real.__name__)
        return real(*arguments, **named)

    return called


@pytest.mark.parametrize("trick", TRICKS)
def test_br29_no_text_of_a_process_is_evaluated(ann, later, monkeypatch, trick) -> None:
    """In a name, note, title, condition or value it is refused with a position, or only shown."""
    ran: list[str] = []
    for module, name in ((builtins, "eval"), (builtins, "exec"), (builtins, "compile"),
                         (os, "system"), (subprocess, "Popen")):  # fmt: skip
        monkeypatch.setattr(module, name, _overheard(getattr(module, name), trick, ran))
    lead = human("lead", "bao", note=trick[:400])
    same = {"field": "reason", "op": "eq", "value": trick}
    way = {"id": "way", "kind": "choice", "name": trick[:40], "branches": [
        {"id": "yes", "name": trick[:40], "when": same, "steps": [lead]},
        {"id": "no", "name": "No", "otherwise": True, "steps": []},
    ]}  # fmt: skip
    flows.publish(ann, flows.a_document(way, name=trick[:60]), now=later())
    instance = flows.start(ann, now=later(), reason=trick)
    assert open_now(instance) == {"bao": "lead"}, "the text equals itself"
    titled = flows.a_document(lead, title=trick[:200], key="titled")
    checked = publishing.check(ann.tenant_id, titled, flows.FORM)
    if checked.ok:
        flows.publish(ann, titled, now=later())
        made = flows.start(ann, "titled", now=later())
        assert made.title == trick[:200].strip()
    else:
        wrong = [each for each in checked.findings if each.level == "error"]
        assert {(each.at, each.code) for each in wrong} <= {
            ("/document/title", "title.unknown_placeholder"),
            ("/document/title", "form.unknown_field"),
        }
    assert ran == []


NUMBERS: list[tuple[Any, bool]] = [
    (20, True), ("20", True), (20.0, False), ("20 ", False), (True, False), ("\uff19", False),
    ("\uff12\uff10", False), (float("nan"), False), ([20], False), ({"n": 20}, False),
    ("2e1", False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "is_number"), NUMBERS, ids=repr)
def test_br33_a_value_of_another_kind_is_an_error(org, value, is_number) -> None:
    """A number is a whole number or its digits; nothing else is converted, silently or not."""
    when = {"field": "n", "op": "eq", "value": "20"}
    request = drive(
        org, choice("c", (when, [one("bao")]), (None, [one("chi")])), form=[a_field("n", "number")]
    )
    if is_number:
        request.start(n=value)
        assert open_steps(request) == ["by_bao"]
    else:
        refusal = request.refused(request.starting(n=value), Invalid, "form.invalid")
        assert isinstance(refusal, Invalid)
        [finding] = refusal.findings
        assert (finding.at, finding.code) in {
            ("/n", "form.type_mismatch"), ("/n", "form.bad_value"),
        }  # fmt: skip


@pytest.mark.parametrize("written", ["200", "200.0", "200.00"])
@pytest.mark.parametrize("kind", ["number", "amount"])
def test_br33_equal_numbers_are_equal_however_written(org, kind, written) -> None:
    """Two hundred is two hundred with and without decimals, in the form and in the condition."""
    for op, value in (("eq", "200"), ("between", ["200.00", "200"]), ("ge", "200.0")):
        when = {"field": "n", "op": op, "value": value}
        way = choice("c", (when, [one("bao")]), (None, [one("chi")]))
        request = drive(org, way, form=[a_field("n", kind)])
        request.start(n=written)
        assert holders(request) == ["bao"]


# Time and workers ------------------------------------------------------------------------------


def timed(minutes: Any, **members: Any) -> dict[str, Any]:
    return human("lead", "bao", deadline={"after": minutes, "then": "reject"}, **members)


def test_br05_entered_again_the_deadline_is_a_new_row(ann, bao, chi, now) -> None:
    """Overdue once, sent back, submitted again: a new task with a new row; the old row stays."""
    minute = timedelta(minutes=1)
    rule = {"after": 1, "then": {"reassign": {"any_of": [{"by": "user", "ids": ["chi"]}]}}}
    instance = filed(ann, human("lead", "bao", deadline=rule, acts=ALL_ACTS), now=now)
    [first] = waiting_jobs(instance)
    assert work(now + minute) == 1
    give(task_of(chi, instance), chi, Return, to="start", now=now + 2 * minute)
    give(task_of(ann, instance), ann, Complete, now=now + 3 * minute)
    second = waiting_jobs(instance)[-1]
    assert second.pk != first.pk
    assert second.due_at == now + 4 * minute
    assert Job.objects.get(pk=first.pk).state == "done"
    assert task_of(bao, instance).due_at == second.due_at


def test_br41_each_request_keeps_the_times_of_its_version(ann, now) -> None:
    """Version 1 has 60 minutes, version 2 has 180: each request has those of its own, once."""
    hour = timedelta(hours=1)
    first = filed(ann, timed(60), now=now)
    second = filed(ann, timed(180), now=now)
    assert [job.due_at for job in waiting_jobs(first)] == [now + hour]
    assert [job.due_at for job in waiting_jobs(second)] == [now + 3 * hour]
    assert work(now + hour) == 1
    assert (fresh(first).state, fresh(second).state) == ("rejected", "running")
    assert work(now + 3 * hour) == 1
    assert fresh(second).state == "rejected"


@pytest.mark.parametrize("off", [0, ""])
def test_br43_another_time_is_for_new_tasks(ann, now, off) -> None:
    """Running tasks keep their moment; 0 and blank are off; nothing is left overdue for ever."""
    made = {}
    for minutes in (60, 180, off, 5):
        made[minutes] = filed(ann, timed(minutes), now=now)
    dues = {
        minutes: Task.objects.get(instance=instance).due_at for minutes, instance in made.items()
    }
    assert dues == {
        60: now + timedelta(minutes=60), 180: now + timedelta(minutes=180),
        off: None, 5: now + timedelta(minutes=5),
    }  # fmt: skip
    assert waiting_jobs(made[off]) == []
    assert work(now + timedelta(days=400)) == 3
    assert not Job.objects.filter(state__in=["pending", "leased"]).exists()


def test_br47_times_without_zones_are_refused(settings) -> None:
    """The product does not start with local times, and says which setting it is."""
    assert not [each for each in run_checks() if each.id == "flowadmin.E005"]
    settings.USE_TZ = False
    [error] = [each for each in run_checks() if each.id == "flowadmin.E005"]
    assert "USE_TZ" in str(error.msg)


AUTO = {"id": "auto", "kind": "auto", "name": "Auto", "verdict": "approve"}


@pytest.mark.django_db(transaction=True)
def test_br19_two_workers_at_once_do_a_job_once(ann, now) -> None:
    """Both are told of the same row; one finds nothing to claim and is done."""
    instance = filed(ann, AUTO, human("lead", "bao"), now=now)
    [job] = waiting_jobs(instance)
    gate = threading.Barrier(4)

    def worker(number: int) -> bool:
        gate.wait(60)
        try:
            claimed = steps.claim(job.pk, f"worker-{number}", now)
            return claimed is not None and steps.carry_out(claimed, now)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(worker, range(4))) == [False, False, False, True]
    assert kinds(instance).count("step_ended") == 1
    assert Job.objects.get(pk=job.pk).attempts == 1


def test_br53_what_a_dead_worker_held_is_taken_again(ann, later, now) -> None:
    """Not before the lease ends, and then by the next scan."""
    instance = filed(ann, AUTO, human("lead", "bao"), now=now)
    [job] = waiting_jobs(instance)
    assert steps.claim(job.pk, "killed", now) is not None
    assert steps.due(now + steps.LEASE - timedelta(seconds=1)) == []
    assert timedelta(seconds=60) >= steps.LEASE
    assert work(now + steps.LEASE) == 1
    assert open_now(instance) == {"bao": "lead"}


def test_br59_two_workers_of_one_name_do_not_share_a_lease(ann, now) -> None:
    """The token tells them apart, not the name: the old one writes nothing with the new lease."""
    instance = filed(ann, AUTO, human("lead", "bao"), now=now)
    [job] = waiting_jobs(instance)
    old = steps.claim(job.pk, "host-1", now)
    after = now + steps.LEASE
    new = steps.claim(job.pk, "host-1", after)
    assert old is not None
    assert new is not None
    before = Event.objects.count()
    assert steps.carry_out(old, after) is False
    assert Event.objects.count() == before
    assert steps.carry_out(new, after) is True
    assert open_now(instance) == {"bao": "lead"}


@pytest.mark.parametrize("minutes", [1, 90, 525_600])
def test_br55_due_is_creation_plus_minutes(ann, now, minutes) -> None:
    """To the second, on the task and on the row that watches it; never the minutes as a date."""
    moment = now + timedelta(seconds=37)
    instance = filed(ann, timed(minutes), now=moment)
    task = Task.objects.get(instance=instance)
    assert task.created_at == moment
    assert task.due_at == moment + timedelta(minutes=minutes)
    assert [job.due_at for job in waiting_jobs(instance)] == [task.due_at]


def test_br81_one_worker_two_tenants(ann, eve, now) -> None:
    """Copies and deadlines of two tenants in one round: each row has its request's tenant."""
    a_person(eve.tenant, "fin", name="Fin Other")
    made: list[Instance] = []
    for user, holder in ((ann, "bao"), (eve, "fin"), (ann, "chi"), (eve, "fin")):
        tell = {"id": "tell", "kind": "copy", "name": "Tell", "who": {
            "any_of": [{"by": "user", "ids": [holder]}]}}  # fmt: skip
        step = human("lead", holder, deadline={"after": 1, "then": "approve"})
        made.append(filed(user, tell, step, now=now, key=f"flow_{len(made)}"))
    assert work(now) == 4
    assert work(now + timedelta(minutes=1)) == 4
    for instance in made:
        assert fresh(instance).state == "approved"
        for model in (Task, Event, Job):
            rows = model._default_manager.filter(instance=instance)
            assert set(rows.values_list("tenant_id", flat=True)) == {instance.tenant_id}
        assert set(
            Task.objects.filter(instance=instance).values_list("holder__tenant_id", flat=True)
        ) == {instance.tenant_id}
