"""What a history is told in: entries, each one fact of a command, and the teller of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from workflow.engine.events import InstanceFinished, StepEnded, TaskClosed, TaskOpened
from workflow.engine.flowdoc.rules import DecideVote
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.state import ActivationState
from workflow.recorded import kind_of
from workflow.wording.following import Following, Reader
from workflow.wording.votes import count_votes, votes_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from workflow.engine.events import AnyEvent
    from workflow.engine.state import State

StateWord = Literal[
    "started", "approved", "rejected", "completed", "returned", "opinion", "closed", "copied",
    "assigned", "reassigned", "added", "claimed", "taken_back", "held", "paused", "resumed",
    "timed_out", "automatic", "comment", "finished", "changed",
]  # fmt: skip

# More lines than this explain nothing any more.
MOST_REASONS = 30

__all__ = ["Entry", "Reader", "StateWord", "Telling"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One fact of the history.

    ``text`` is a whole sentence that names who did it; ``actor`` is that name alone, absent when a
    worker did it. ``state`` is the word for the icon, ``kind`` the stored kind of the event.
    ``files`` is how many were attached, ``signed`` whether a signature was given.
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
    files: int = 0
    signed: bool = False


@dataclass(slots=True)
class Telling(Following):
    """Tells a history; ``state`` is the request's state now."""

    state: State = field(kw_only=True)
    # Activation → the newest entry that gave it to somebody; only that one stays `current`.
    newest: dict[int, Entry] = field(default_factory=dict)

    def entry(
        self,
        event: AnyEvent,
        word: StateWord,
        text: str,
        *,
        step: str | None = None,
        comment: str | None = None,
        why: Iterable[str] = (),
        opens: int = 0,
    ) -> Entry:
        """One entry; the event's own comment, files and signature come along.

        ``opens`` is the activation that this gave to somebody.
        """
        made = Entry(
            at=self.at,
            actor=None if self.actor is None else self.reader.person(self.actor),
            kind=kind_of(event),
            step=step,
            state=word,
            text=text,
            comment=getattr(event, "comment", "") if comment is None else comment,
            why=_shortened(why),
            current=self.state.activation(opens) is not None,
            files=len(getattr(event, "files", ())),
            signed=bool(getattr(event, "signature", "")),
        )
        if opens:
            self.newest[opens] = made
        return made

    def who(self) -> str:
        """Whoever did it."""
        return _("The system") if self.actor is None else self.reader.person(self.actor)

    def of_seat(self, seat: int) -> dict[str, str]:
        """The name of a seat's step and of its holder, for a sentence."""
        return {"step": self.name_at(seat), "person": self.reader.person(self.holder(seat))}

    def has_ended(self) -> bool:
        """Whether the request ended by the command that is told."""
        return bool(self.of(InstanceFinished))

    def holding(self, seat: int) -> Iterator[str]:
        """For whom, and after whom, somebody holds a seat."""
        found = self.seat(seat)
        if found is not None and found.absent:
            yield _("In place of %(person)s") % {"person": self.reader.person(found.absent)}
        if found is not None and found.chain:
            yield _("Held before by %(people)s") % {"people": self.reader.people(found.chain)}

    def also(self, seat: int) -> Iterator[str]:
        """What a decision did to the other seats of its step, and to the step."""
        yield from self.no_longer(each for each in self.of(TaskClosed) if each.by_seat == seat)
        activation = self.homes.get(seat, 0)
        opened = [
            self.holder(each.seat)
            for each in self.of(TaskOpened)
            if self.homes.get(each.seat) == activation
        ]
        if opened:
            yield _("Next in turn: %(people)s") % {"people": self.reader.people(opened)}
        yield from self.votes(activation)

    def no_longer(self, closed: Iterable[TaskClosed]) -> Iterator[str]:
        """Whose tasks are no longer needed."""
        holders = [holder for each in closed if (holder := self.holder(each.seat))]
        if holders:
            yield _("No longer needed: %(people)s") % {"people": self.reader.people(holders)}

    def votes(self, number: int) -> Iterator[str]:
        """How a vote came out that this command ended."""
        step, activation = self.step_of(number), self.seen.get(number)
        decided = {ActivationState.PASSED, ActivationState.REFUSED}
        if (
            activation is not None
            and isinstance(step, HumanStep)
            and isinstance(step.decide, DecideVote)
            and any(each.state in decided for each in self.within(StepEnded, number))
        ):
            yield votes_text(count_votes(activation, step))

    def names(self, kind: type[Any], activation: int) -> str:
        """The holders in the events of this kind in the command."""
        return self.reader.people(each.holder for each in self.within(kind, activation))


def _shortened(why: Iterable[str]) -> tuple[str, ...]:
    reasons = [each for each in dict.fromkeys(why) if each]
    if len(reasons) > MOST_REASONS:
        more = len(reasons) - MOST_REASONS
        rest = ngettext("and %(count)d more", "and %(count)d more", more) % {"count": more}
        return (*reasons[:MOST_REASONS], rest)
    return tuple(reasons)
