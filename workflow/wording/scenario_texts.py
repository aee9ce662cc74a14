"""What is wrong with scenarios, and what came out differently when they were played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# What is said of their shape, and then of how they were played.
SCENARIOS: dict[str, StrOrPromise] = {
    "scenario.too_many": _("There are too many scenarios: at most %(max)s."),
    "scenario.too_many_clicks": _("Together these scenarios have more than %(max)s clicks."),
    "scenario.same_name": _("Two scenarios are called “%(name)s”."),
    "scenario.unknown_key": _("“%(key)s” is not known here."),
    "scenario.field_missing": _("“%(field)s” is missing."),
    "scenario.bad_shape": _("This cannot stand here."),
    "scenario.bad_value": _("This should be: %(expected)s."),
    "scenario.unknown_step": _("There is no step “%(step)s”."),
    "scenario.red": _("The scenario “%(name)s” does not come out as expected."),
    "scenario.not_started": _("The request could not be filed (%(code)s)."),
    "scenario.refused": _("“%(do)s” of “%(login)s” was refused (%(code)s)."),
    "scenario.unknown_person": _("“%(login)s” is not known in your organisation."),
    "scenario.no_task": _("“%(login)s” has no such task at this moment."),
    "scenario.nobody_named": _("For “%(do)s” somebody has to be named in “to”."),
    "scenario.unanswered": _(
        "The step “%(step)s” waits for an answer, and the scenario gives none for it."
    ),
    "scenario.other_path": _(
        "The step “%(expected)s” was expected next, and “%(got)s” was entered."
    ),
    "scenario.other_end": _("It should end as “%(expected)s” and ends as “%(got)s”."),
    "scenario.other_people": _(
        "In the step “%(step)s” these people were expected: %(expected)s. Asked were: %(got)s."
    ),
    "scenario.other_value": _(
        "The field “%(field)s” should hold “%(expected)s” and holds “%(got)s”."
    ),
    "scenario.too_long": _("The request runs in a circle at the step “%(step)s”."),
}
