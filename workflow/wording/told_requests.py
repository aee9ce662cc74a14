"""What happened to a request as a whole, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from workflow.engine.events import (
    Commented,
    FormChanged,
    InstanceFinished,
    InstanceHeld,
    InstancePaused,
    InstanceReleased,
    InstanceResumed,
    InstanceStarted,
    Migrated,
    MigrationUndone,
    StepEntered,
    StepReopened,
    TaskAssigned,
    TaskClosed,
    TaskReturned,
    TimedOut,
    WentBack,
)
from workflow.engine.state import InstanceState, Reason
from workflow.forms.formdoc import field_named, label_in
from workflow.forms.scalars import ROW_ID, rows_of
from workflow.wording.editing import edits_told
from workflow.wording.incidents import GOES_ON, incident_text
from workflow.wording.reasons import field_label, value_text
from workflow.wording.states import listed, result_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from workflow.forms.scalars import Value
    from workflow.wording.telling import Entry, Telling


def _started(telling: Telling, event: InstanceStarted) -> Entry:
    text = _("%(person)s filed the request %(number)s")
    text %= {"person": telling.reader.person(event.initiator), "number": event.number}
    return telling.entry(event, "started", text)


def _changed(telling: Telling, event: FormChanged) -> Entry | None:
    lines = list(_changes(telling, event))
    if not lines:
        # That a hidden field exists is as hidden as what stands in it.
        return None
    text = _("%(actor)s changed the form") % {"actor": telling.who()}
    return telling.entry(event, "changed", text, why=lines)


def _changes(telling: Telling, event: FormChanged) -> Iterator[str]:
    reader, form = telling.reader, telling.reader.definition.form
    before: Mapping[str, Value] = telling.before.values if telling.before else {}
    for name, value in event.changes.items():
        if not reader.shows(name):
            continue
        found = None if form is None else field_named(form, name)
        old = before.get(name)
        args = {"field": name if found is None else label_in(found, reader.language)}
        if rows_of(value) and rows_of(old):
            if _seen(telling, name, value) != _seen(telling, name, old):
                args["after"] = value_text(found, value, reader.language, reader.titles)
                yield _("%(field)s: changed, now %(after)s") % args
            continue
        args["before"] = value_text(found, old, reader.language, reader.titles)
        args["after"] = value_text(found, value, reader.language, reader.titles)
        yield _("%(field)s: %(before)s → %(after)s") % args


def _seen(telling: Telling, table: str, value: Value) -> list[dict[str, Any]]:
    """The rows of a table as this reader sees them."""
    return [
        {
            name: cell
            for name, cell in row.items()
            if name == ROW_ID or telling.reader.shows(f"{table}.{name}")
        }
        for row in rows_of(value)
    ]


def _commented(telling: Telling, event: Commented) -> Entry | None:
    if any(telling.of(each) for each in (InstanceReleased, TaskAssigned)):
        return None  # the reason of the naming that it came with
    step = telling.reader.step(event.step) if event.step else None
    text = _("%(actor)s commented") % {"actor": telling.who()}
    return telling.entry(event, "comment", text, step=step)


def _held(telling: Telling, event: InstanceHeld) -> Entry | None:
    nobody = event.code == "people.nobody"
    if nobody and telling.within(StepEntered, event.activation):
        return None  # the entry of the step says so
    name = telling.name_of(event.activation)
    text = (
        _("“%(step)s” goes on, and a manager has to look at it")
        if event.code in GOES_ON
        else _("“%(step)s” is held until a manager acts")
    )
    why = [incident_text(event.code)]
    if event.about and telling.reader.shows_field(event.about):
        label = field_label(telling.reader.definition, event.about, telling.reader.language)
        why.append(_("It is about the field “%(field)s”") % {"field": label})
    opens = 0 if event.code in GOES_ON else event.activation
    return telling.entry(event, "held", text % {"step": name}, step=name, why=why, opens=opens)


def _released(telling: Telling, event: InstanceReleased) -> Entry | None:
    if telling.within(TaskAssigned, event.activation):
        return None
    name = telling.name_of(event.activation)
    text = _("“%(step)s” is no longer held") % {"step": name}
    return telling.entry(event, "resumed", text, step=name)


def _paused(telling: Telling, event: InstancePaused) -> Entry:
    text = _("%(actor)s paused the request") % {"actor": telling.who()}
    return telling.entry(event, "paused", text)


def _resumed(telling: Telling, event: InstanceResumed) -> Entry:
    text = _("%(actor)s let the request go on") % {"actor": telling.who()}
    return telling.entry(event, "resumed", text)


def _went_back(telling: Telling, event: WentBack) -> Entry | None:
    """Nothing where another entry of the command says it: a return, a goto, a deadline."""
    told = any(telling.of(each) for each in (TaskReturned, TimedOut))
    if told or event.reason is Reason.AUTO_STEP:
        return None
    to = telling.reader.step(event.to)
    if event.reason is Reason.ADMIN:
        text = _("%(actor)s moved the request to “%(to)s”")
        closed = [each for each in telling.of(TaskClosed) if not each.by_seat]
        why = list(telling.no_longer(closed))
    else:
        text, why = _("The request goes back to “%(to)s”"), []
    text %= {"actor": telling.who(), "to": to}
    return telling.entry(event, "returned", text, step=to, why=why)


def _migrated(telling: Telling, event: Migrated) -> Entry:
    if event.edits:
        text = _("%(actor)s changed what comes next") % {"actor": telling.who()}
        return telling.entry(event, "changed", text, why=edits_told(event.edits, telling.reader))
    text = _("%(actor)s moved the request to version %(number)s of the process")
    text %= {"actor": telling.who(), "number": event.new_number}
    why = list(telling.no_longer(telling.of(TaskClosed)))
    reader = telling.reader
    emptied = [
        field_label(reader.definition, name, reader.language)
        for name in event.emptied
        if reader.shows_field(name)
    ]
    if emptied:
        why.append(_("Emptied, since the new form asks it otherwise: %(fields)s"))
        why[-1] %= {"fields": listed(emptied)}
    return telling.entry(event, "changed", text, why=why)


def _migration_undone(telling: Telling, event: MigrationUndone) -> Entry:
    text = _("%(actor)s moved the request back to version %(number)s of the process")
    text %= {"actor": telling.who(), "number": event.new_number}
    why = list(telling.no_longer(telling.of(TaskClosed)))
    again = [
        seat.holder for each in telling.of(StepReopened) for seat in each.was.seats if seat.is_open
    ]
    if again:
        why.append(_("Open again: %(people)s") % {"people": telling.reader.people(again)})
    return telling.entry(event, "changed", text, why=why)


def _finished(telling: Telling, event: InstanceFinished) -> Entry:
    closed = [each for each in telling.of(TaskClosed) if each.reason is Reason.CANCELLED]
    by_hand = event.reason in {Reason.ADMIN, Reason.CANCELLED}
    text = result_text(event.result, telling.who() if by_hand else "")
    if event.result is InstanceState.CANCELLED and not by_hand:
        text = _("The process called the request off")
    return telling.entry(
        event,
        "finished",
        text,
        comment=event.comment if by_hand else "",
        why=telling.no_longer(closed),
    )


TELLERS: dict[type[Any], Callable[[Telling, Any], Entry | None]] = {
    InstanceStarted: _started,
    FormChanged: _changed,
    Commented: _commented,
    InstanceHeld: _held,
    InstanceReleased: _released,
    InstancePaused: _paused,
    InstanceResumed: _resumed,
    WentBack: _went_back,
    InstanceFinished: _finished,
    Migrated: _migrated,
    MigrationUndone: _migration_undone,
}
