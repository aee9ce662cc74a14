"""What comes next is changed for one request alone: steps put in, and other people asked.

Theory of operation. The edited process is a version of its own that only this request goes by; it
is reached by the checked move between versions, so that history and replay stay exact. Only what
lies ahead may be edited: what a request passed, or stands on, is what it was. A step of the design
is never taken out, since whoever may ask more people may not ask fewer; what an edit put in may be
taken out again (approvals.md 5, idea 13; issue 3, item 4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import msgspec

from workflow.engine.canonical import plain
from workflow.engine.decision import Definition
from workflow.engine.events import FutureEdit
from workflow.engine.flowdoc.people import ByUser, People
from workflow.engine.flowdoc.rules import DecideAll, DecideAny, DecideInOrder, Rights
from workflow.engine.flowdoc.steps import (
    ApproveStep,
    ChoiceStep,
    CopyStep,
    HumanStep,
    InclusiveStep,
    ParallelStep,
)
from workflow.engine.future import Around
from workflow.engine.plan import START, compile_plan
from workflow.engine.rejections import Invalid
from workflow.engine.validation import check_document
from workflow.forms.findings import Finding, errors
from workflow.forms.scalars import says_something

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from workflow.engine.facts import Facts
    from workflow.engine.flowdoc import Flowdoc
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.engine.plan import Plan
    from workflow.engine.state import State

    Changing = Callable[[AnyStep], tuple[AnyStep, ...]]

replace = msgspec.structs.replace

INVALID = "edit.invalid"
MOST_EDITS = 20
MOST_PEOPLE = 100
LONGEST_NAME = 48
DECIDE: Mapping[str, DecideAny | DecideAll | DecideInOrder] = {
    "any": DecideAny(),
    "all": DecideAll(),
    "in_order": DecideInOrder(),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One edit as it is asked for; the members are those of `FutureEdit`.

    ``step`` is the step whose people are changed, or that is taken out; ``after`` the one behind
    which a step is put in (`start` when the request is with its initiator); ``people`` are ids, a
    number that nobody has for somebody unknown.
    """

    do: Literal["insert_approve", "set_people", "remove"]
    step: str = ""
    after: str = ""
    name: str = ""
    people: tuple[int, ...] = ()
    decide: Literal["any", "all", "in_order"] = "any"


@dataclass(frozen=True, slots=True)
class Edited:
    """The process as it would be for this request, and what the history says of it."""

    definition: Definition
    record: tuple[FutureEdit, ...]


def edited(
    definition: Definition,
    state: State,
    wanted: Iterable[Wanted],
    facts: Facts,
    *,
    base: Definition,
    relied_on: frozenset[str] = frozenset(),
) -> Edited:
    """The process after these edits, one after the other. Nothing of the request changes.

    Args:
        definition: by which the request goes now.
        state: how it stands.
        wanted: the edits, at least one.
        facts: the organisation, for the people named.
        base: the published version that the edits began with; ``definition`` when there are none.
        relied_on: steps because of which somebody need not have decided earlier (dedupe): who
            was let off because of them has to be asked there.

    Raises Invalid edit.invalid with every finding: edit.unknown_step, .passed, .open, .designed,
    .asks_nobody, .nothing_follows, .relied_on, .name, .too_many; people.required, people.too_many,
    person.unknown; and what the document as a whole would be refused for.
    """
    editor = _Editor(definition, state, facts, base, relied_on)
    for place, each in enumerate(wanted):
        if place >= MOST_EDITS:
            editor.refuse("edit.too_many", "/edits", max=MOST_EDITS)
            break
        editor.take(each, f"/edits/{place}")
    if not editor.record and not editor.findings:
        editor.refuse("edit.nothing", "/edits")
    if editor.findings:
        raise Invalid(INVALID, findings=tuple(editor.findings))
    return Edited(_checked(definition, editor.doc), tuple(editor.record))


@dataclass(slots=True)
class _Editor:
    """Takes one edit after the other and notes what is wrong with each."""

    definition: Definition
    state: State
    facts: Facts
    base: Definition
    relied_on: frozenset[str]
    findings: list[Finding] = field(default_factory=list)
    record: list[FutureEdit] = field(default_factory=list)
    # Behind which step the last one was put in: several behind one step keep their order.
    last_behind: dict[str, str] = field(default_factory=dict)
    doc: Flowdoc = field(init=False)

    def __post_init__(self) -> None:
        self.doc = self.definition.plan.doc

    def refuse(self, code: str, at: str, **args: str | int) -> None:
        self.findings.append(Finding(code, at, args=args))

    def take(self, each: Wanted, at: str) -> None:
        known = len(self.findings)
        around = Around(compile_plan(self.doc), self.state, self.base.plan)
        if each.do == "insert_approve":
            self._check(around.why_no_insert(each.after), each.after, f"{at}/after")
            self._check_name(each.name, f"{at}/name")
        else:
            why_not = around.why_not_people if each.do == "set_people" else around.why_no_removal
            relied_on = "edit.relied_on" if each.step in self.relied_on else ""
            self._check(why_not(each.step) or relied_on, each.step, f"{at}/step")
        logins = self._logins(each, at) if each.do != "remove" else ()
        if len(self.findings) == known:
            self._apply(each, logins, around.plan)

    def _check(self, code: str, step: str, at: str) -> None:
        if code:
            self.findings.append(Finding(code, at, step or None))

    def _check_name(self, name: str, at: str) -> None:
        if not says_something(name) or len(name) > LONGEST_NAME or not name.isprintable():
            self.refuse("edit.name", at, max=LONGEST_NAME)

    def _logins(self, each: Wanted, at: str) -> tuple[str, ...]:
        if not each.people:
            self.refuse("people.required", f"{at}/who")
        if len(each.people) > MOST_PEOPLE:
            self.refuse("people.too_many", f"{at}/who", max=MOST_PEOPLE)
            return ()
        known = {each.id: each for each in self.facts.people_by_id(each.people)}
        for place, user in enumerate(each.people):
            if user not in known or not known[user].active:
                self.refuse("person.unknown", f"{at}/who/{place}")
        users = (known[user] for user in dict.fromkeys(each.people) if user in known)
        return tuple(person.login for person in users)

    def _apply(self, each: Wanted, logins: tuple[str, ...], plan: Plan) -> None:
        people = tuple(dict.fromkeys(each.people))
        if each.do == "insert_approve":
            made = self._made(each, logins, plan)
            behind = self.last_behind.get(each.after, each.after)
            self.last_behind[each.after] = made.id
            self._put_in(behind, made)
            edit = FutureEdit(
                do=each.do, step=made.id, name=made.name, after=each.after, people=people,
                decide=each.decide,
            )  # fmt: skip
        else:
            name = plan.steps[each.step].step.name
            edit = FutureEdit(do=each.do, step=each.step, name=name, people=people)
            self._change(each.step, _without if each.do == "remove" else _asking(logins))
        self.record.append(edit)

    def _made(self, each: Wanted, logins: tuple[str, ...], plan: Plan) -> ApproveStep:
        """A new approval; its people see what is seen in the step before it, and only read it."""
        return ApproveStep(
            id=self._free_id(plan),
            name=each.name.strip(),
            who=People(any_of=(ByUser(ids=logins),)),
            decide=DECIDE[each.decide],
            fields=_readable_at(plan, each.after),
        )

    def _free_id(self, plan: Plan) -> str:
        """An id that no step of this request has, nor had: its rounds would be counted on."""
        number = 1
        while (name := f"added_{number}") in plan.steps or name in self.state.rounds:
            number += 1
        return name

    def _put_in(self, behind: str, made: ApproveStep) -> None:
        if behind == START:
            self.doc = replace(self.doc, steps=(made, *self.doc.steps))
            return
        self._walk(lambda step: (step, made) if step.id == behind else (step,))

    def _change(self, target: str, change: Changing) -> None:
        self._walk(lambda step: change(step) if step.id == target else (step,))

    def _walk(self, change: Changing) -> None:
        self.doc = replace(self.doc, steps=tuple(_walked(self.doc.steps, change)))


def _walked(steps: Iterable[AnyStep], change: Changing) -> Iterator[AnyStep]:
    """Every step changed, from the inside outwards; as deep as the document, which is bounded."""
    for step in steps:
        if isinstance(step, ChoiceStep | ParallelStep | InclusiveStep):
            branches = tuple(
                replace(each, steps=tuple(_walked(each.steps, change))) for each in step.branches
            )
            yield from change(replace(step, branches=branches))
        else:
            yield from change(step)


def _without(_step: AnyStep) -> tuple[AnyStep, ...]:
    return ()


def _asking(logins: tuple[str, ...]) -> Changing:
    """These people instead; whom the process leaves out of the step it goes on leaving out."""

    def changed(step: AnyStep) -> tuple[AnyStep, ...]:
        if not isinstance(step, HumanStep | CopyStep):
            return (step,)
        who = People(any_of=(ByUser(ids=logins),), without=step.who.without)
        return (replace(step, who=who),)

    return changed


def _readable_at(plan: Plan, step: str) -> Rights:
    """What is shown in the nearest step of people up to this one, to be read alone."""
    planned = plan.steps.get(step)
    if planned is None:
        return Rights()
    for each in (step, *reversed(planned.dominators)):
        found = plan.steps[each].step
        if isinstance(found, HumanStep):
            hidden = {name: right for name, right in found.fields.set.items() if right == "hide"}
            if found.fields.default != "hide":
                return Rights(set=hidden)
            shown = [name for name in found.fields.set if name not in hidden]
            return Rights(default="hide", set=dict.fromkeys(shown, "read"))
    return Rights()


def _checked(before: Definition, doc: Flowdoc) -> Definition:
    """The edited document, compiled. Raises Invalid with what is wrong with it and was not before.

    It is read again from its plain form, so that what is stored is what a reader gets.
    """
    old = {
        (each.code, each.step)
        for each in errors(check_document(plain(before.plan.doc), before.form).findings)
    }
    checked = check_document(plain(doc), before.form)
    fresh = [each for each in errors(checked.findings) if (each.code, each.step) not in old]
    if fresh or checked.doc is None:
        findings = [Finding(each.code, "/edits", each.step, args=each.args) for each in fresh]
        raise Invalid(INVALID, findings=tuple(findings))
    return Definition(plan=compile_plan(checked.doc), form=before.form)
