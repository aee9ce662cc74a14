"""Any process, any edit of it, any life: a request that is moved stays sound, and can go back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.engine.builders import NOW, approve, define, users
from tests.engine.histories import WISHES, Life, command_of, live, organisations, processes
from tests.engine.random_processes import FORM
from tests.engine.test_decide_any_history import check_history, check_state
from tests.engine.test_migrating import NEW, OLD, moving
from workflow.engine.canonical import canonical_bytes
from workflow.engine.commands import UndoMigration
from workflow.engine.decide import decide
from workflow.engine.events import StepEnded, StepEntered, TaskAssigned, WentBack, WorkAsked
from workflow.engine.migrating import ahead, plan_move
from workflow.engine.rejections import NotOpen, Rejection
from workflow.engine.state import InstanceState

if TYPE_CHECKING:
    from workflow.engine.decision import Decision, Definition
    from workflow.engine.state import State


@dataclass
class Edit:
    """What is changed in a document: how, where, and into what."""

    verb: str
    first: int
    second: int


EDITS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(["remove"] * 3 + ["insert", "rename", "rule", "rule", "swap", "unwrap"]),
        st.integers(0, 30),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=4,
)


def sequences(steps: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Every list of steps of a document."""
    found = [steps]
    for each in steps:
        for branch in each.get("branches", ()):
            found += sequences(branch.setdefault("steps", []))
    return found


def edited(definition: Definition, edits: list[Edit]) -> Definition | None:
    """The process with these changes; nothing when it could not be published like that."""
    doc = msgspec.json.decode(canonical_bytes(definition.plan.doc))
    for number, edit in enumerate(edits):
        places = [
            (sequence, index)
            for sequence in sequences(doc["steps"])
            for index in range(len(sequence))
        ]
        if not places:
            return None
        change(*places[edit.first % len(places)], edit, number)
    members = {
        name: value for name, value in doc.items() if name not in {"steps", "key", "name", "form"}
    }
    members.pop("flowdoc")
    try:
        return define(*doc["steps"], form=FORM, **members)
    except AssertionError:
        return None


def change(sequence: list[dict[str, Any]], index: int, edit: Edit, number: int) -> None:
    found = sequence[index]
    if edit.verb == "remove":
        del sequence[index]
    elif edit.verb == "insert":
        sequence.insert(index, approve(f"new_{number}", users("kim", "tom"), "all"))
    elif edit.verb == "rename":
        found["id"] = f"other_{number}"
    elif edit.verb == "swap" and index:
        sequence[index - 1], sequence[index] = found, sequence[index - 1]
    elif edit.verb == "unwrap" and "branches" in found:
        sequence[index : index + 1] = [
            each for branch in found["branches"] for each in branch.get("steps", ())
        ]
    elif edit.verb == "rule" and "join" in found:
        found["join"] = ["all", "first", {"at_least": 1}][edit.second % 3]
    elif edit.verb == "rule" and "decide" in found:
        modes = ["any", "all", "in_order", "claim"]
        found["decide"] = {"mode": modes[edit.second % 4]}


quick = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.large_base_example,
        HealthCheck.filter_too_much,
    ],
)


@quick
@given(processes(), organisations(), WISHES, EDITS, WISHES)
def test_whatever_is_moved_stays_sound(definition, org, wishes, edits, later) -> None:
    life = while_running(live(definition, org, wishes))
    new = edited(definition, edits)
    if life.state is None or new is None:
        event("nothing to move")
        return
    before = life.state
    check_state(before, definition)
    visited = {step for step, count in before.rounds.items() if count}
    open_steps = {each.step for each in before.activations}
    plan = plan_move(definition, new, before)
    assert [each.activation for each in plan.fates] == sorted(
        each.activation for each in plan.fates
    )
    run, refusal = moved(definition, new, life)
    event(refusal)
    if run is None:
        assert plan.stuck or refusal in {"migrate.would_end", "instance.paused"}
        return
    event("moved: " + ", ".join(sorted({each.what for each in plan.fates})))
    assert not plan.stuck
    check_state(run.state, new)
    check_history([*life.events, *run.events], run.state)
    kept = {each.activation for each in plan.of("kept")}
    assert {each.number: each for each in before.activations if each.number in kept}.keys() <= (
        {each.number for each in run.state.activations}
        | {each.activation for each in run.events if isinstance(each, StepEnded)}
    )
    entered = {each.step for each in run.events if isinstance(each, StepEntered)}
    again = (entered & visited) - open_steps - steps_ahead(definition, before)
    # Only where the process itself leads back, by a goto or a rejection, something comes again.
    gone_back = any(isinstance(each, WentBack) for each in run.events)
    assert not again or gone_back, "no finished step starts again"
    check_undo(life, run, new)
    # It goes on by the new version like any other request.
    on = live_on(life, run, new, later)
    check_state(on.state, new)
    check_history(on.events, on.state)


def while_running(life: Life) -> Life:
    """The life without what happened from its end on."""
    while life.commands and life.commands[-1][1].state.status is not InstanceState.RUNNING:
        life.commands.pop()
    life.state = life.commands[-1][1].state if life.commands else None
    return life


def moved(definition: Definition, new: Definition, life: Life) -> tuple[Decision | None, str]:
    now = NOW + timedelta(minutes=life.tried)
    try:
        run = decide(definition, life.state, moving(new), life.org, now)
    except Rejection as refusal:
        return None, refusal.code
    return run, "moved"


def steps_ahead(definition: Definition, state: Any) -> set[str]:
    found: set[str] = set()
    for each in state.activations:
        planned = definition.plan.steps.get(each.step)
        target = definition.plan.first if planned is None else planned.after
        found.update(ahead(definition.plan, target))
    return found


def live_on(life: Life, run: Decision, new: Definition, wishes: Any) -> Any:
    on = Life(new, life.org, run.state, [*life.commands, (life.state, run)], tried=life.tried)
    for wish in wishes[:20]:
        on.give(command_of(on, wish))
        check_state(on.state, new)
    return on


def check_undo(life: Life, run: Decision, new: Definition) -> None:
    """At once after the move everything stands as it did, with new versions of open tasks."""
    history = [*life.events, *run.events]
    command = UndoMigration(
        definition=life.definition,
        old=OLD,
        new=NEW,
        old_number=1,
        new_number=2,
        history=history,
    )
    now = NOW + timedelta(minutes=life.tried)
    before = life.state
    assert before is not None
    if sent(before, run):
        event("cannot be undone: sent")
        with pytest.raises(NotOpen, match=r"migrate\.sent"):
            decide(new, run.state, command, life.org, now)
        return
    back = decide(new, run.state, command, life.org, now)
    check_state(back.state, life.definition)
    check_history([*history, *back.events], back.state)
    assert [stands(each) for each in back.state.activations] == [
        stands(each) for each in before.activations
    ]
    for name in ("status", "values", "deciders", "incidents", "held", "approvals", "jumps", "lap"):
        assert getattr(back.state, name) == getattr(before, name), name
    assert work_of(back.state) == work_of(before)
    assert [each for each in back.events if isinstance(each, TaskAssigned)] == []


def sent(before: State, run: Decision) -> bool:
    """Whether the move asked others outside, or called off what was asked of them."""
    kept = {each.number for each in run.state.work}
    kinds = {each.kind for each in run.events if isinstance(each, WorkAsked)}
    kinds.update(each.kind for each in before.work if each.number not in kept)
    return not kinds.isdisjoint({"http", "child"})


def work_of(state: State) -> list[tuple[str, int, int, int]]:
    return sorted((each.kind, each.activation, each.seat, each.child) for each in state.work)


def stands(activation: Any) -> Any:
    """An activation without the versions of its seats."""
    seats = tuple(msgspec.structs.replace(each, version=0) for each in activation.seats)
    return msgspec.structs.replace(activation, seats=seats)
