"""The words of trying out a process in the designer: simulate, scenarios, past requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

# `{name}` stands for an argument. script/text-keys makes the type of the keys from here.
TRYING_TEXTS: dict[str, _StrPromise] = {
    "try.title": _("Simulate"),
    "try.sample": _("Sample request"),
    "try.starter": _("Started by"),
    "try.no-fields": _("There is nothing to fill in at the start."),
    "try.picks": _("People for “{step}”"),
    "try.row": _("Row {number}"),
    "try.row-add": _("Add a row"),
    "try.row-remove": _("Remove row {number}"),
    # The way.
    "try.way": _("Path"),
    "try.way.one": _("Path: {count} step"),
    "try.way.other": _("Path: {count} steps"),
    "try.updated.one": _("Path updated: {count} step"),
    "try.updated.other": _("Path updated: {count} steps"),
    "try.waiting": _("The path is being worked out…"),
    "try.problems": _("Solve the problems first; then this can be tried."),
    "try.lies.on": _("on the path"),
    "try.lies.maybe": _("perhaps on the path"),
    "try.lies.off": _("not on the path"),
    # Scenarios.
    "try.scenarios": _("Scenarios"),
    "try.scenarios-hint": _(
        "A scenario is a sample request with the path that is expected of it. They are saved with "
        "the draft and played before publishing."
    ),
    "try.name": _("Name of the scenario"),
    "try.name-missing": _("Say in a few words what it shows."),
    "try.name-taken": _("Another scenario is called so."),
    "try.keep": _("Keep as a scenario"),
    "try.play": _("Play all"),
    "try.playing": _("The scenarios are being played…"),
    "try.show": _("Show"),
    "try.act": _("{act}: {name}"),
    "try.unknown": _("not played yet"),
    "try.green": _("as expected"),
    "try.red": _("not as expected"),
    "try.all-green": _("All scenarios come out as expected."),
    "try.some-red.one": _("{count} scenario does not come out as expected."),
    "try.some-red.other": _("{count} scenarios do not come out as expected."),
    "try.require": _("Publish only when all scenarios come out as expected"),
    "try.did.keep": _("Kept the scenario “{name}”"),
    "try.did.remove": _("Removed the scenario “{name}”"),
    "try.did.rename": _("Renamed the scenario to “{name}”"),
    # Past requests.
    "try.replay": _("Past requests"),
    "try.replay-hint": _(
        "What was put into the last requests of this process goes through the draft once more. "
        "Nothing is changed or sent."
    ),
    "try.last": _("How many of the last requests"),
    "try.replay-now": _("Replay"),
    "try.replay-none": _("This process has no requests yet."),
    "try.looked.one": _("{count} request was replayed."),
    "try.looked.other": _("{count} requests were replayed."),
    "try.outcome.same": _("Same path"),
    "try.outcome.other_path": _("Other path"),
    "try.outcome.other_people": pgettext_lazy("past request", "Other people"),
    "try.outcome.cannot_decide": _("Cannot be decided"),
    "try.branches": _("Requests by branch"),
    "try.past": pgettext_lazy("past request", "Then"),
    "try.candidate": pgettext_lazy("past request", "Now"),
    "try.examples": _("Requests that would go otherwise"),
}
