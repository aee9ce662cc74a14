"""The teller of a history: one entry for each fact of a command, in the reader's words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from workflow.engine.events import (
    AnyEvent,
    BranchTaken,
    Commented,
    CopySent,
    FormChanged,
    InstanceFinished,
    InstanceHeld,
    InstanceReleased,
    InstanceStarted,
    StepEnded,
    StepEntered,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskOpened,
    TaskReassigned,
    TaskRejected,
)
from workflow.engine.flowdoc.steps import AnyStep, AutoStep, HumanStep
from workflow.engine.plan import branches_of
from workflow.engine.state import Reason, State
from workflow.forms.formdoc import fields_by_id, label_in
from workflow.recorded import kind_of
from workflow.wording.reasons import (
    Titles,
    chosen_text,
    dropped_text,
    leaf_text,
    value_text,
    when_empty_text,
)
from workflow.wording.states import listed, result_text, unknown_person, with_mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.forms.scalars import Value

StateWord = Literal[
    "started", "approved", "rejected", "closed", "copied", "assigned", "reassigned", "held",
    "automatic", "comment", "finished", "changed",
]  # fmt: skip

# More lines than this explain nothing any more.
MOST_REASONS = 30


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact of the history.

    ``text`` is a whole sentence that names who did it; ``actor`` is that name alone, absent when a
    worker did it. ``state`` is the word for the icon, ``kind`` the stored kind of the event.
    ``current`` marks the newest assignment of an open step. All texts are plain.
    """

    at: datetime
    actor: str | None
    kind: str
    step: str | None
    state: StateWord
    text: str
    comment: str = ""
    why: tuple[str, ...] = ()
    current: bool = False


@dataclass(slots=True)
class Telling:
    """What is known of the history so far."""

    definition: Definition
    names: Mapping[int, str]
    shows: Callable[[str], bool]
    state: State
    titles: Titles
    language: str = field(default_factory=lambda: get_language() or "en")
    values: dict[str, Value] = field(default_factory=dict)
    # Activation → id of its step; seat → activation and holder.
    steps: dict[int, str] = field(default_factory=dict)
    seats: dict[int, tuple[int, int]] = field(default_factory=dict)
    # Activation → the newest entry that gave it to somebody; only that one stays `current`.
    newest: dict[int, Entry] = field(default_factory=dict)
    # The command that is being told.
    at: datetime = field(init=False)
    actor: int | None = field(init=False)
    events: list[AnyEvent] = field(init=False)

    def command(self, at: datetime, actor: int | None, events: list[AnyEvent]) -> Iterator[Entry]:
        self.at, self.actor, self.events = at, actor, events
        for event in events:
            teller = _TELLERS.get(type(event))
            entry = None if teller is None else teller(self, event)
            if entry is not None:
                yield entry

    # What every entry is made of.

    def entry(
        self,
        event: AnyEvent,
        word: StateWord,
        text: str,
        *,
        step: str | None = None,
        comment: str = "",
        why: Iterable[str] = (),
        opens: int = 0,
    ) -> Entry:
        reasons = [each for each in dict.fromkeys(why) if each]
        if len(reasons) > MOST_REASONS:
            more = len(reasons) - MOST_REASONS
            rest = ngettext("and %(count)d more", "and %(count)d more", more) % {"count": more}
            reasons = [*reasons[:MOST_REASONS], rest]
        made = Entry(
            at=self.at,
            actor=None if self.actor is None else self.person(self.actor),
            kind=kind_of(event),
            step=step,
            state=word,
            text=text,
            comment=comment,
            why=tuple(reasons),
            current=self.is_open(opens),
        )
        if opens:
            self.newest[opens] = made
        return made

    def person(self, user: int | None) -> str:
        if user is None:
            return _("The system")
        return self.names.get(user) or unknown_person()

    def people(self, users: Iterable[int]) -> str:
        return listed(self.person(user) for user in dict.fromkeys(users))

    def step_of(self, activation: int) -> AnyStep | None:
        planned = self.definition.plan.steps.get(self.steps.get(activation, ""))
        return None if planned is None else planned.step

    def step_name(self, activation: int) -> str:
        step = self.step_of(activation)
        return self.steps.get(activation, "") if step is None else step.name

    def is_open(self, activation: int) -> bool:
        return self.state.activation(activation) is not None

    def of_seat(self, seat: int) -> tuple[str, str]:
        """The name of a seat's step and of its holder."""
        activation, holder = self.seats.get(seat, (0, None))
        return self.step_name(activation), self.person(holder)

    # One method for each event that is a fact of its own.

    def started(self, event: InstanceStarted) -> Entry:
        self.values.update(event.values)
        text = _("%(person)s filed the request %(number)s")
        text %= {"person": self.person(event.initiator), "number": event.number}
        return self.entry(event, "started", text)

    def entered(self, event: StepEntered) -> Entry | None:
        self.steps[event.activation] = event.step
        step, name = self.step_of(event.activation), self.step_name(event.activation)
        if not isinstance(step, HumanStep):
            # An automatic step is told when it is done; until then it is what is going on.
            if not self.is_open(event.activation):
                return None
            text = _("“%(step)s” is about to be carried out automatically") % {"step": name}
            return self.entry(event, "automatic", text, step=name, opens=event.activation)
        assigned = self.in_command(TaskAssigned, event.activation)
        if assigned:
            holders = [each.holder for each in assigned]
            text = _("%(step)s → %(people)s") % {"step": name, "people": self.people(holders)}
            text = with_mode(text, step.decide.mode, len(holders))
            word: StateWord = "assigned"
        else:
            word, text = self.nobody(event, name)
        why = [
            *(chosen_text(each, self.person(each.user), self.titles) for each in event.chosen),
            *(dropped_text(each, self.person(each.user)) for each in event.dropped),
            when_empty_text(event.when_empty),
        ]
        opens = event.activation if assigned or self.state.held else 0
        return self.entry(event, word, text, step=name, why=why, opens=opens)

    def nobody(self, event: StepEntered, name: str) -> tuple[StateWord, str]:
        if self.in_command(InstanceHeld, event.activation):
            text = _("“%(step)s” is held: nobody was found, a manager has to name somebody")
            return "held", text % {"step": name}
        if event.when_empty == "reject":
            text = _("“%(step)s” was rejected automatically: nobody was found")
            return "rejected", text % {"step": name}
        text = _("“%(step)s” was passed over: nobody was found")
        return "automatic", text % {"step": name}

    def assigned(self, event: TaskAssigned) -> Entry | None:
        self.seats[event.seat] = (event.activation, event.holder)
        if self.in_command(StepEntered, event.activation):
            return None
        name = self.step_name(event.activation)
        actor, person = self.person(self.actor), self.person(event.holder)
        text = _("%(actor)s gave “%(step)s” to %(person)s")
        text %= {"actor": actor, "step": name, "person": person}
        said = next((each.comment for each in self.events if isinstance(each, Commented)), "")
        opens = event.activation
        return self.entry(event, "assigned", text, step=name, comment=said, opens=opens)

    def approved(self, event: TaskApproved) -> Entry:
        name, person = self.of_seat(event.seat)
        if event.reason is Reason.SELF_RULE:
            text = _("“%(step)s” approved itself for %(person)s, who filed the request")
            text %= {"step": name, "person": person}
            return self.entry(event, "automatic", text, step=name, why=self.also(event.seat))
        text = _("%(person)s approved “%(step)s”") % {"person": person, "step": name}
        return self.entry(
            event, "approved", text, step=name, comment=event.comment, why=self.also(event.seat)
        )

    def rejected(self, event: TaskRejected) -> Entry:
        name, person = self.of_seat(event.seat)
        text = _("%(person)s rejected “%(step)s”") % {"person": person, "step": name}
        return self.entry(
            event, "rejected", text, step=name, comment=event.comment, why=self.also(event.seat)
        )

    def also(self, seat: int) -> Iterator[str]:
        """What a decision did to the other seats of its step."""
        activation = self.seats.get(seat, (0, 0))[0]
        closed = [
            self.seats[each.seat][1]
            for each in self.events
            if isinstance(each, TaskClosed) and each.by_seat == seat and each.seat in self.seats
        ]
        if closed:
            yield _("No longer needed: %(people)s") % {"people": self.people(closed)}
        opened = [
            self.seats[each.seat][1]
            for each in self.events
            if isinstance(each, TaskOpened) and self.seats.get(each.seat, (0, 0))[0] == activation
        ]
        if opened:
            yield _("Next in turn: %(people)s") % {"people": self.people(opened)}

    def closed(self, event: TaskClosed) -> Entry | None:
        ended = any(isinstance(each, InstanceFinished) for each in self.events)
        if event.by_seat or ended:
            # Part of the decision, or of the end, that closed it.
            return None
        name, person = self.of_seat(event.seat)
        text = _("The task “%(step)s” of %(person)s is no longer needed")
        return self.entry(event, "closed", text % {"step": name, "person": person}, step=name)

    def reassigned(self, event: TaskReassigned) -> Entry:
        activation, holder = self.seats.get(event.seat, (0, event.before))
        self.seats[event.seat] = (activation, event.holder)
        name = self.step_name(activation)
        text = _("%(actor)s gave the task “%(step)s” of %(before)s to %(person)s") % {
            "actor": self.person(self.actor),
            "step": name,
            "before": self.person(holder),
            "person": self.person(event.holder),
        }
        said = event.comment
        return self.entry(event, "reassigned", text, step=name, comment=said, opens=activation)

    def changed(self, event: FormChanged) -> Entry | None:
        before = dict(self.values)
        self.values.update(event.changes)
        form = self.definition.form
        known = {} if form is None else fields_by_id(form)
        lines = []
        for name, value in event.changes.items():
            if not self.shows(name):
                continue
            form_field = known.get(name)
            lines.append(
                _("%(field)s: %(before)s → %(after)s")
                % {
                    "field": name if form_field is None else label_in(form_field, self.language),
                    "before": value_text(form_field, before.get(name), self.language),
                    "after": value_text(form_field, value, self.language),
                }
            )
        if not lines:
            # That a hidden field exists is as hidden as what stands in it.
            return None
        text = _("%(actor)s changed the form") % {"actor": self.person(self.actor)}
        return self.entry(event, "changed", text, why=lines)

    def commented(self, event: Commented) -> Entry | None:
        if any(isinstance(each, InstanceReleased) for each in self.events):
            return None  # the reason of the naming that it came with
        planned = self.definition.plan.steps.get(event.step)
        name = None if planned is None else planned.step.name
        text = _("%(actor)s commented") % {"actor": self.person(self.actor)}
        return self.entry(event, "comment", text, step=name, comment=event.comment)

    def branched(self, event: BranchTaken) -> Entry:
        planned = self.definition.plan.steps.get(event.step)
        name, branch = event.step, event.branch
        if planned is not None:
            name = planned.step.name
            called = {each.id: each.name for each in branches_of(planned.step)}
            branch = called.get(event.branch, event.branch)
        text = _("%(step)s: the branch “%(branch)s” was taken") % {"step": name, "branch": branch}
        why = [
            leaf_text(leaf, self.definition, self.shows, self.language, self.titles)
            for leaf in event.leaves
        ]
        return self.entry(event, "automatic", text, step=name, why=why)

    def copied(self, event: CopySent) -> Entry | None:
        self.seats[event.seat] = (event.activation, event.holder)
        copies = self.in_command(CopySent, event.activation)
        if copies[0] is not event:
            return None
        name = self.step_name(event.activation)
        people = self.people(each.holder for each in copies)
        text = _("%(step)s: copied to %(people)s") % {"step": name, "people": people}
        why = [chosen_text(each.why, self.person(each.holder), self.titles) for each in copies]
        return self.entry(event, "copied", text, step=name, why=why)

    def ended(self, event: StepEnded) -> Entry | None:
        step, name = self.step_of(event.activation), self.step_name(event.activation)
        if event.reason is not Reason.AUTO_STEP or step is None:
            return None
        if isinstance(step, AutoStep):
            approved = step.verdict == "approve"
            text = _("“%(step)s” approved automatically")
            refused = _("“%(step)s” rejected automatically")
            text = (text if approved else refused) % {"step": name}
            word: StateWord = "automatic" if approved else "rejected"
            return self.entry(event, word, text, step=name, comment=step.reason)
        if self.in_command(CopySent, event.activation):
            return None
        text = _("%(step)s: there was nobody to send a copy to") % {"step": name}
        return self.entry(event, "automatic", text, step=name)

    def held(self, event: InstanceHeld) -> Entry | None:
        if self.in_command(StepEntered, event.activation):
            return None
        name = self.step_name(event.activation)
        text = _("“%(step)s” is held until a manager acts") % {"step": name}
        return self.entry(event, "held", text, step=name)

    def finished(self, event: InstanceFinished) -> Entry:
        why = []
        closed = [
            self.seats[each.seat][1]
            for each in self.events
            if isinstance(each, TaskClosed)
            and each.reason is Reason.CANCELLED
            and each.seat in self.seats
        ]
        if closed:
            why.append(_("No longer needed: %(people)s") % {"people": self.people(closed)})
        by_hand = event.reason is Reason.ADMIN
        text = result_text(event.result, self.person(self.actor) if by_hand else "")
        comment = event.comment if by_hand else ""
        return self.entry(event, "finished", text, comment=comment, why=why)

    def in_command(self, kind: type[Any], activation: int) -> list[Any]:
        """The events of this kind and activation in the command that is being told."""
        return [
            each
            for each in self.events
            if isinstance(each, kind) and each.activation == activation
        ]


_TELLERS: dict[type[Any], Callable[[Telling, Any], Entry | None]] = {
    InstanceStarted: Telling.started,
    StepEntered: Telling.entered,
    TaskAssigned: Telling.assigned,
    TaskApproved: Telling.approved,
    TaskRejected: Telling.rejected,
    TaskClosed: Telling.closed,
    TaskReassigned: Telling.reassigned,
    FormChanged: Telling.changed,
    Commented: Telling.commented,
    BranchTaken: Telling.branched,
    CopySent: Telling.copied,
    StepEnded: Telling.ended,
    InstanceHeld: Telling.held,
    InstanceFinished: Telling.finished,
}
