"""Charts as SVG that the server draws: bars with their numbers, and the same as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flowadmin.templatetags.parts import span_in_words
from workflow import figures
from workflow.wording.states import instance_state, step_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from workflow.engine.decision import Definition
    from workflow.figures import StepTime
    from workflow.workload import HandlingTime


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its label, what it stands for in words, and its length in hundredths."""

    label: str
    text: str
    length: int
    more: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its summary in one sentence, which is all that some readers need."""

    id: str
    title: str
    summary: str
    heads: tuple[str, ...]
    bars: tuple[Bar, ...]


def of_steps(definition: Definition, times: Sequence[StepTime]) -> Chart:
    """How long each step takes, the slowest first."""
    longest = max((each.median.total_seconds() for each in times), default=0)
    bars = tuple(
        Bar(
            label=step_name(definition, each.step),
            text=span_in_words(each.median),
            length=_part(each.median.total_seconds(), longest),
            more=span_in_words(each.slowest_tenth),
        )
        for each in times
    )
    summary = ""
    if bars:
        summary = _("“%(step)s” takes longest: half of the time more than %(span)s.") % {
            "step": bars[0].label,
            "span": bars[0].text,
        }
    heads = (_("Step"), _("Half take at most"), _("Nine of ten take at most"))
    return Chart("steps", _("Time for each step"), summary, heads, bars)


def of_ages(counts: Sequence[int]) -> Chart:
    """How old the open requests are."""
    labels = [
        _("less than a day"),
        *(
            _("%(from)d to %(to)d days") % {"from": low, "to": high}
            for low, high in zip(figures.AGES, figures.AGES[1:], strict=False)
        ),
        _("more than %(n)d days") % {"n": figures.AGES[-1]},
    ]
    total = sum(counts)
    summary = ngettext("%(n)d request is open.", "%(n)d requests are open.", total) % {"n": total}
    bars = _counted(labels, counts)
    return Chart("ages", _("Open requests by age"), summary, (_("Age"), _("Requests")), bars)


def of_waiting(definition: Definition, counts: Mapping[str, int]) -> Chart:
    """Where the open tasks wait, in the order of the process."""
    steps = [step for step in definition.plan.steps if step in counts]
    steps += [step for step in counts if step not in definition.plan.steps]
    numbers = [counts[step] for step in steps]
    total = sum(numbers)
    summary = ngettext("%(n)d task waits.", "%(n)d tasks wait.", total) % {"n": total}
    bars = _counted([step_name(definition, step) for step in steps], numbers)
    return Chart("waiting", _("Open tasks by step"), summary, (_("Step"), _("Tasks")), bars)


def of_days(counts: Sequence[tuple[date, int]]) -> Chart:
    """How many requests ended each day."""
    numbers = [number for _day, number in counts]
    total = sum(numbers)
    summary = _("No request ended in the last %(days)d days.")
    if total:
        summary = ngettext(
            "%(n)d request ended in the last %(days)d days.",
            "%(n)d requests ended in the last %(days)d days.",
            total,
        )
    summary %= {"n": total, "days": len(counts)}
    labels = [formats.date_format(day, "MONTH_DAY_FORMAT") for day, _number in counts]
    bars = _counted(labels, numbers)
    return Chart("days", _("Requests ended per day"), summary, (_("Day"), _("Requests")), bars)


def _counted(labels: Sequence[str], numbers: Sequence[int]) -> tuple[Bar, ...]:
    """A bar for each number; none at all where every number is nothing."""
    most = max(numbers, default=0)
    if not most:
        return ()
    return tuple(
        Bar(label, str(number), _part(number, most))
        for label, number in zip(labels, numbers, strict=True)
    )


def _part(value: float, most: float) -> int:
    """Length in hundredths of the longest bar; what is not nothing can be seen."""
    return max(1, round(100 * value / most)) if value and most else 0


# Of one person, on the home page ----------------------------------------------------------------


def of_handled(counts: Sequence[tuple[date, int]]) -> Chart:
    """How many tasks a person decided each day."""
    numbers = [number for _day, number in counts]
    total, given = sum(numbers), {"n": sum(numbers), "days": len(counts)}
    summary = _("You decided nothing in the last %(days)d days.") % given
    if total:
        summary = (
            ngettext(
                "You decided %(n)d task in the last %(days)d days.",
                "You decided %(n)d tasks in the last %(days)d days.",
                total,
            )
            % given
        )
    labels = [formats.date_format(day, "MONTH_DAY_FORMAT") for day, _number in counts]
    bars = _counted(labels, numbers)
    return Chart("handled", _("Handled per day"), summary, (_("Day"), _("Tasks")), bars)


def of_handling_times(times: Sequence[HandlingTime]) -> Chart:
    """How long tasks waited for a person, by process, the slowest first."""
    longest = max((each.median.total_seconds() for each in times), default=0)
    bars = tuple(
        Bar(
            label=each.flow,
            text=span_in_words(each.median),
            length=_part(each.median.total_seconds(), longest),
            more=str(each.count),
        )
        for each in times
    )
    summary = ""
    if bars:
        summary = _("“%(flow)s” waits longest for you: half of its tasks more than %(span)s.") % {
            "flow": bars[0].label,
            "span": bars[0].text,
        }
    heads = (_("Process"), _("Half take at most"), _("Tasks"))
    return Chart("times", _("Your time for a task, by process"), summary, heads, bars)


def of_own_states(counts: Mapping[str, int]) -> Chart:
    """How a person's requests stand, in the order in which a request comes to each state."""
    order = ("running", "approved", "rejected", "cancelled", "terminated")
    states = [state for state in order if state in counts]
    total = sum(counts.values())
    summary = ngettext("%(n)d request of yours.", "%(n)d requests of yours.", total) % {"n": total}
    bars = _counted(
        [instance_state(state) for state in states], [counts[state] for state in states]
    )
    heads = (_("State"), _("Requests"))
    return Chart("states", _("My requests by state"), summary, heads, bars)


def of_backlog(waiting: Sequence[tuple[str, str, int]]) -> Chart:
    """What waits for a team, by process and step."""
    numbers = [number for _flow, _step, number in waiting]
    total = sum(numbers)
    summary = ngettext("%(n)d task waits.", "%(n)d tasks wait.", total) % {"n": total}
    bars = _counted([f"{flow} · {step}" for flow, step, _number in waiting], numbers)
    heads = (_("Step"), _("Tasks"))
    return Chart("backlog", _("What waits for your team"), summary, heads, bars)
