"""The work of steps that ask outside: calls of `http` steps, rules, and requests of subflows.

Theory of operation. The step is a row like that of any other automatic step, but no decision
waits for whoever is asked (decision 9): the question is asked outside of a transaction and the
answer is a command. While the request is paused nothing new is asked, and an answer that is there
is kept and given again later; nothing is sent twice because of it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db import transaction

from flowadmin.rest.problems import Problem
from rules.asking import RuleProblem, ask
from workflow import queries
from workflow.engine.children import asked_values
from workflow.engine.commands import Answered
from workflow.engine.consulting import inputs_of
from workflow.engine.flowdoc.steps import HttpStep, RuleStep
from workflow.engine.questions import VALUE
from workflow.engine.requesting import Unsendable, Words, render
from workflow.models import Call, Instance, Job
from workflow.published import definition_of
from workflow.runtime import calls, family, steps
from workflow.runtime.facts import Organisation

if TYPE_CHECKING:
    from collections.abc import Callable

    from workflow.engine.decision import Definition
    from workflow.engine.facts import Facts
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.engine.requesting import Rendered
    from workflow.engine.state import Activation, State
    from workflow.runtime.steps import Claimed
    from workflow.runtime.subscribers import Happened

log = logging.getLogger(__name__)

# How long an answer is kept back before a paused request is asked again whether it goes on.
PAUSE = timedelta(seconds=30)
BAD_RULE_ANSWER = "rule.bad_answer"


@dataclass(frozen=True, slots=True)
class Standing:
    """The request of a claimed job as it stands, without a lock."""

    instance: Instance
    definition: Definition
    state: State
    step: AnyStep | None
    activation: Activation | None = None


def carry_out(claimed: Claimed, now: datetime) -> bool:
    """Do what a claimed job asks outside, or give its answer to the request; whether it was done.

    Raises Problem when the request refuses the answer for another reason than that it is over.
    """
    try:
        if claimed.kind == "child":
            return family.carry_out(claimed, now)
        standing = _standing(claimed)
        if standing.state.paused:
            steps.postpone(claimed, now + PAUSE)
            return False
        return _ask(claimed, standing, now)
    except steps.LeaseLost:
        return False
    except Problem as problem:
        if problem.code != "instance.paused":
            raise
        steps.postpone(claimed, now + PAUSE)
        return False


def _ask(claimed: Claimed, standing: Standing, now: datetime) -> bool:
    if isinstance(standing.step, HttpStep):
        return _call(claimed, standing, standing.step, now)
    # Of a step that is over nothing is asked: the request says so, and the row is done with.
    if standing.activation is not None and standing.activation.is_asking:
        command = _consult(
            standing.activation, standing.state, Organisation(claimed.tenant_id, now)
        )
    else:
        command = _ask_rule(claimed, standing)
    return steps.carry_out(claimed, now, command=command)


def _standing(claimed: Claimed) -> Standing:
    rows = Instance.objects.select_related("initiator")
    instance = rows.get(pk=claimed.instance_id, tenant=claimed.tenant_id)
    definition, state = definition_of(instance.version_id), queries.state_of(instance)
    activation = state.activation(claimed.activation)
    planned = definition.plan.steps.get(activation.step) if activation is not None else None
    step = planned.step if planned else None
    return Standing(instance, definition, state, step, activation)


# http -----------------------------------------------------------------------------------------


def _call(claimed: Claimed, standing: Standing, step: HttpStep, now: datetime) -> bool:
    call = Call.objects.filter(job=claimed.id).first()
    if call is None:
        return _write_call(claimed, standing, step, now)
    if call.state != Call.State.ANSWERED:
        # Not known yet: whoever learns the outcome makes this row due.
        steps.postpone(claimed, steps.UNTIL_TOLD)
        _due_if_answered(call.pk, claimed.id, now)
        return False

    def answered() -> None:
        steps.let_go(claimed, state=Job.State.DONE)
        Call.objects.filter(pk=call.pk).update(state=Call.State.DONE)

    return steps.carry_out(
        claimed, now, command=_answer(claimed, call.answer or {}), fence=answered
    )


def _write_call(claimed: Claimed, standing: Standing, step: HttpStep, now: datetime) -> bool:
    try:
        rendered = render(
            standing.definition, standing.state, step, _words(claimed, standing, now)
        )
    except Unsendable as reason:
        failed = Answered(claimed.activation, ok=False, code=reason.code, about=reason.about)
        return steps.carry_out(claimed, now, command=failed)
    if step.mode == "fire":
        return _queue(claimed, step, rendered, now)
    with transaction.atomic():
        steps.let_go(claimed, state=Job.State.PENDING, due_at=steps.UNTIL_TOLD)
        calls.write(claimed, step, rendered, now)
    return True


def _queue(claimed: Claimed, step: HttpStep, rendered: Rendered, now: datetime) -> bool:
    """``fire``: the step passes in the transaction in which the call is written."""

    def queued() -> None:
        steps.let_go(claimed, state=Job.State.DONE)
        calls.write(claimed, step, rendered, now)

    return steps.carry_out(
        claimed, now, command=Answered(claimed.activation, ok=True), fence=queued
    )


def _words(claimed: Claimed, standing: Standing, now: datetime) -> Words:
    return Words(
        initiator=standing.instance.initiator.name,
        today=Organisation(claimed.tenant_id, now).today.isoformat(),
        reply_url=calls.reply_mark(claimed.id),
    )


def _due_if_answered(call_id: int, job_id: int, now: datetime) -> None:
    """The race: the outcome was written after we looked and before we let the row go."""
    if Call.objects.filter(pk=call_id, state=Call.State.ANSWERED).exists():
        Job.objects.filter(pk=job_id, state=Job.State.PENDING).update(due_at=now)


def _answer(claimed: Claimed, found: dict[str, Any]) -> Answered:
    return Answered(
        claimed.activation,
        ok=found.get("ok", False),
        values=found.get("values", {}),
        variables=found.get("variables", {}),
        code=found.get("code", ""),
        about=found.get("about", ""),
    )


def send_due(
    owner: str,
    clock: Callable[[], datetime],
    by: Callable[..., Any] = calls.send_by_policy,
) -> int:
    """Make one attempt for each call that is due, one after the other; how many attempts.

    ``clock`` is the database's, read for each row when it is taken: a lease of a whole batch
    would run out while its last row still waits (reliability.md 4.5).
    """
    sent = 0
    for call_id in calls.due(clock()):
        attempt = calls.claim(call_id, owner, clock())
        if attempt is not None:
            calls.settle(attempt, calls.send(attempt, by), clock())
            sent += 1
    return sent


# rule -----------------------------------------------------------------------------------------


def _ask_rule(claimed: Claimed, standing: Standing) -> Answered:
    """Ask the rule in the version that was fixed when the step was entered."""
    step = standing.step
    work = standing.state.work_of(claimed.activation)
    if not isinstance(step, RuleStep) or work is None:
        return Answered(claimed.activation, ok=False)
    return rule_answer(step, standing.state, work.version, claimed.activation)


def rule_answer(
    step: RuleStep, state: State, version: int | None, activation: int = 0
) -> Answered:
    """What a rule says to the values of a request, as the answer to its step; it only asks.

    Without a ``version`` the newest is asked.
    """
    application, _slash, chain_id = step.rule.key.partition("/")
    inputs = asked_values(step, state)
    try:
        answer = ask(application, chain_id, version, inputs)
    except RuleProblem as problem:
        return Answered(activation, ok=False, code=problem.code, about=step.rule.key)
    missing = next((name for name in step.save.values() if name not in answer.values), None)
    if missing is not None:
        return Answered(activation, ok=False, code=BAD_RULE_ANSWER, about=missing)
    values = {name: _plain(answer.values[theirs]) for name, theirs in step.save.items()}
    return Answered(activation, ok=True, values=values)


def _consult(activation: Activation, state: State, facts: Facts) -> Answered:
    """Ask the rules that a step mentions, in the versions that were fixed when it was entered.

    The first one that does not answer is told, and none of the answers is kept.
    """
    inputs = inputs_of(state, facts)
    said: dict[tuple[str, int], object] = {}
    for each in activation.asks:
        application, _slash, chain_id = each.rule.partition("/")
        try:
            answer = ask(application, chain_id, each.version, inputs)
        except RuleProblem as problem:
            return Answered(activation.number, ok=False, code=problem.code, about=each.rule)
        if VALUE not in answer.values:
            return Answered(activation.number, ok=False, code=BAD_RULE_ANSWER, about=each.rule)
        said[each.rule, each.pinned] = _plain_all(answer.values[VALUE])
    return Answered(activation.number, ok=True, rules=said)


def _plain_all(value: object) -> object:
    """A list of values too, and the rows of a table."""
    if isinstance(value, list | tuple):
        return [_plain_all(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain_all(each) for name, each in value.items()}
    return _plain(value)


def asked_now(step: RuleStep, state: State) -> Answered:
    """Ask the rule of a step for a preview or a what-if: nothing of it is kept (decision 9)."""
    version = step.rule.version if isinstance(step.rule.version, int) else None
    return rule_answer(step, state, version)


def _plain(value: object) -> object:
    return format(value, "f") if isinstance(value, Decimal) else value


# What follows from decisions --------------------------------------------------------------------


def follow(happened: Happened) -> None:
    """In the transaction of a decision: calls of steps that are over end with them, and what was
    kept back during a pause goes on.
    """
    family.follow(happened)
    before = happened.before.work if happened.before is not None else ()
    if happened.before is not None and happened.before.paused and not happened.after.paused:
        steps.go_on(happened.instance_id, happened.at)
    asked = [work.number for work in before if work.kind == "http"]
    if asked:
        open_now = {work.number for work in happened.after.work}
        calls.cancel_of(
            [
                steps.row_id(happened.instance_id, number)
                for number in asked
                if number not in open_now
            ]
        )
    if any(work.kind in steps.ASKED_OUTSIDE for work in happened.after.work):
        family.hint()
