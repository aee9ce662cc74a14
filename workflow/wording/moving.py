"""What becomes of the open steps of a request that is moved to another version, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django_stubs_ext import StrOrPromise

    from workflow.engine.migrating import Fate, What, Why

WHAT: Mapping[What, StrOrPromise] = {
    "kept": _("kept"),
    "re_evaluated": _("kept and counted anew"),
    "moved": _("moved out of its block"),
    "removed": _("closed"),
    "asked_again": _("other people are asked"),
    "stuck": _("cannot be moved"),
}
WHY: Mapping[Why, StrOrPromise] = {
    "": "",
    "rule_changed": _("The rule by which it is decided is another one."),
    "people_changed": _("Other people would be asked now."),
    "step_gone": _("The new version does not have this step."),
    "step_kind_changed": _("It is another kind of step in the new version."),
    "step_elsewhere": _("In the new version this step stands in or outside other branches."),
    "block_gone": _("The new version does not have the branches around it."),
    "block_changed": _("The branches are of another kind, or elsewhere, in the new version."),
    "block_many": _("Several branches are open, and the new version has one way for all."),
    "order_ends": _("Nothing follows this step in the old order, so the request would end."),
    "order_again": _("Steps that are finished would be asked again."),
    "branch_new_steps": _("The branch would end without its new steps."),
}


def what_text(fate: Fate) -> str:
    """What becomes of the step."""
    return str(WHAT[fate.what])


def why_text(fate: Fate) -> str:
    """Why; empty where nothing changes."""
    return str(WHY[fate.why])
