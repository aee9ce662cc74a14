"""The words of the designer's page: every string that its script shows, by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from workflow.pages.designer_panel_texts import PANEL_TEXTS
from workflow.pages.designer_trying_texts import TRYING_TEXTS
from workflow.wording.finding_texts import EXPECTED, PATTERN_REASONS, SHORTER, TYPES
from workflow.wording.finding_texts import TEXTS as FINDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrPromise
    from django_stubs_ext import StrOrPromise

# `{name}` stands for an argument. script/text-keys makes the type of the keys from here.
TEXTS: dict[str, _StrPromise] = {
    # Names of things.
    "draft.unnamed": _("Unnamed process"),
    "draft.copy-name": _("{name} (mine)"),
    "head.title": _("{name} (draft)"),
    "copy-of": _("{name} (copy)"),
    "list.comma": _(", "),
    "list.more": _("{few} and {count} more"),
    "card.start": _("Start"),
    "card.end": _("End"),
    "card.branch": _("Branch"),
    "card.place": _("step {number} of {of}"),
    "end.note": _("The request ends here."),
    "branch.unnamed": _("Unnamed branch"),
    "branch.numbered": _("Branch {number}"),
    "branch.otherwise": _("Otherwise"),
    "branch.else": _("in all other cases"),
    "branch.unclear": _("no condition yet"),
    "branch.place": _("branch {number} of {of}"),
    "block.label": _("Branches of {name}"),
    "block.branch": _("{count} branch"),
    "block.branches": _("{count} branches"),
    "part.step": _("Step"),
    "part.branch": _("Branch"),
    "part.field": _("Field"),
    # Kinds of step.
    "kind.approve": pgettext_lazy("kind of step", "Approval"),
    "kind.work": pgettext_lazy("kind of step", "Work"),
    "kind.copy": pgettext_lazy("kind of step", "Copy"),
    "kind.auto": pgettext_lazy("kind of step", "Automatic verdict"),
    "kind.choice": pgettext_lazy("kind of step", "Choice"),
    "kind.parallel": pgettext_lazy("kind of step", "Parallel branches"),
    "kind.inclusive": pgettext_lazy("kind of step", "All branches that apply"),
    "kind.subflow": pgettext_lazy("kind of step", "Subprocess"),
    "kind.delay": pgettext_lazy("kind of step", "Pause"),
    "kind.http": pgettext_lazy("kind of step", "HTTP request"),
    "kind.set": pgettext_lazy("kind of step", "Fill in fields"),
    "kind.rule": pgettext_lazy("kind of step", "Rule"),
    "kind.notice": pgettext_lazy("kind of step", "Notice"),
    "kind.goto": pgettext_lazy("kind of step", "Back to a step"),
    "kind.finish": pgettext_lazy("kind of step", "End"),
    # The line of a card.
    "sum.nobody": _("nobody yet"),
    "sum.everybody": _("everybody"),
    "sum.of-field": _("{what}: {field}"),
    "sum.initiator.head": _("Head of the initiator's department"),
    "sum.initiator.head_chain": _("Heads upwards from the initiator's department"),
    "sum.initiator.manager": _("The initiator's superior"),
    "sum.level.one": _("{what}, {count} level further up"),
    "sum.level.other": _("{what}, {count} levels further up"),
    "sum.due": _("due in {time}"),
    "sum.due-field": _("due on {field}"),
    "sum.choice": _("the first branch that holds"),
    "sum.at-least": _("waits for {count} branches"),
    "sum.goto": _("to {step}"),
    # Problems.
    "faults.error": _("{count} problem"),
    "faults.errors": _("{count} problems"),
    "faults.warning": _("{count} warning"),
    "faults.warnings": _("{count} warnings"),
    "check": _("Check"),
    "check.count": _("Check ({count})"),
    "check.none": _("No problems were found."),
    # What can be done.
    "act.properties": _("Properties"),
    "act.more": _("What can be done with “{name}”"),
    "act.insert": _("Add a step after it"),
    "act.rename": _("Rename"),
    "act.kind": _("Change the kind"),
    "act.move": _("Move to…"),
    "act.up": _("Move up"),
    "act.down": _("Move down"),
    "act.left": _("Move left (earlier)"),
    "act.right": _("Move right (later)"),
    "act.branch": _("Add a branch"),
    "act.fold": _("Fold the branches"),
    "act.unfold": _("Unfold the branches"),
    "act.duplicate": _("Duplicate"),
    "act.copy": _("Copy to the clipboard"),
    "act.cut": _("Cut"),
    "act.paste": _("Paste after it"),
    "act.delete": _("Delete"),
    "menu.insert": _("Add a step"),
    "menu.kind": _("Change into"),
    "menu.move": _("Move “{name}”"),
    "menu.undo": _("Last actions"),
    "slot.add": _("Add a step after “{name}”"),
    "slot.after": _("after “{name}”"),
    "slot.first": _("at the beginning"),
    "slot.branch": _("into the branch “{name}”"),
    "undo": _("Undo"),
    "undo.what": _("Undo: {what}"),
    "redo": _("Redo"),
    "redo.what": _("Redo: {what}"),
    "close": _("Close"),
    "cancel": _("Cancel"),
    "back": _("Design drafts"),
    "next": _("Next"),
    # What was done: the undo menu and the live region say it.
    "did.nothing": _("Nothing changed."),
    "did.insert": _("Added “{name}”"),
    "did.rename": _("Renamed to “{name}”"),
    "did.kind": _("“{name}” is now: {kind}"),
    "did.delete": _("Deleted “{name}”"),
    "did.delete-branch": _("Deleted the branch “{name}”"),
    "did.empty-branch": _("Emptied the branch “{name}”"),
    "did.duplicate": _("Duplicated “{name}”"),
    "did.branch": _("Added a branch"),
    "did.move": _("Moved “{name}”"),
    "did.copy": _("Copied “{name}”"),
    "did.paste": _("Pasted"),
    "did.undo": _("Undone: {what}"),
    "did.redo": _("Done again: {what}"),
    "did.undo-many": _("Undone: the last {count} actions"),
    "did.fold": _("Folded “{name}”"),
    "did.unfold": _("Unfolded “{name}”"),
    "walk.end": _("There is nothing in this direction."),
    "limit.steps": _("A process has at most 300 steps."),
    "limit.branches": _("There are at most 20 branches."),
    "paste.not_ours": _("The clipboard holds no step or branch."),
    "paste.too_many_steps": _("Pasting this would make more than 300 steps."),
    "paste.too_many_branches": _("Pasting this would make more than 20 branches."),
    "paste.no_place": _("This cannot be pasted here."),
    "paste.unknown": _("What was pasted names something unknown here: {names}"),
    "drag.began": _("Dragging “{name}”: {count} places to drop it. Escape cancels."),
    "drag.cancelled": _("Not moved."),
    # Frame and tools.
    "stages": _("Stages"),
    "stage.basics": _("Basics"),
    "stage.form": _("Form"),
    "stage.flow": _("Flow"),
    "stage.more": _("More"),
    "hint": _(
        "Four stages: what the process is and who may start it, its form, its steps, "
        "and the finer rules. Saving never publishes."
    ),
    "tools": _("Tools"),
    "canvas.label": _("Steps of the process"),
    "properties": _("Properties"),
    "properties.close": _("Back to the card"),
    "zoom.in": _("Larger"),
    "zoom.out": _("Smaller"),
    "zoom.fit": _("Fit to the window"),
    "zoom.percent": _("{percent} %"),
    "outline": _("Outline"),
    "density": _("Compact"),
    "find.title": _("Find a step"),
    "find.label": _("Name or kind"),
    "find.results": _("Found"),
    "find.none": _("Nothing is called so."),
    "find.count": _("Found: {count}"),
    "keys.title": _("Keys of the designer"),
    "keys.walk": _("Walk over the cards"),
    "keys.ends": _("First and last card"),
    "keys.enter": _("To the properties"),
    "keys.escape": _("Back to the card; cancel"),
    "keys.insert": _("Add a step"),
    "keys.delete": _("Delete"),
    "keys.rename": _("Rename"),
    "keys.move": _("Move the step"),
    "keys.branch": _("Move the branch"),
    "keys.fold": _("Fold and unfold branches"),
    "keys.menu": _("Everything that can be done"),
    "keys.undo": _("Undo"),
    "keys.redo": _("Redo"),
    "keys.copy": _("Copy, cut, paste, duplicate"),
    "keys.save": _("Save"),
    "keys.find": _("Find a step"),
    "keys.problem": _("Next problem; with Shift the one before"),
    "keys.zoom": _("Larger, smaller, fit"),
    "keys.outline": _("Outline"),
    # Saving.
    "save": _("Save"),
    "save.retry": _("Save again"),
    "save.saved": _("Saved {time} · v{version}"),
    "save.version": _("Saved · v{version}"),
    "save.unsaved.one": _("Unsaved changes ({count})"),
    "save.unsaved.other": _("Unsaved changes ({count})"),
    "save.saving": _("Saving…"),
    "save.failed": _("Not saved"),
    "save.read-only": _("Read-only"),
    "saved.said": _("Saved."),
    "failed.offline": _("No connection. Your input is still here."),
    "failed.signed-out": _(
        "Your session has ended. Sign in again in another tab, then save again: your "
        "input is still here."
    ),
    "failed.server": _("Something went wrong on our side. Please try again."),
    # Parts of the designer that are fetched when they are opened.
    "part.loading": _("Loading…"),
    "part.failed": _(
        "This part of the designer could not be loaded. Nothing you typed is lost. If it "
        "fails again, save and load the page anew."
    ),
    "part.failed-title": _("Not loaded"),
    "part.retry": _("Try again"),
    "part.checks": _("What is wrong in the draft cannot be told: that part was not loaded."),
    "read-only.note": _("You may look at this draft, but not change it."),
    "recover.text": _("This tab still has changes that were not saved."),
    "recover.take": _("Go on with them"),
    "recover.drop": _("Discard them"),
    "leave.title": _("Leave with unsaved changes?"),
    "leave.text": _("What you changed since the last save is only on this page."),
    "leave.save": _("Save draft and leave"),
    "leave.discard": _("Discard and leave"),
    "leave.stay": _("Stay"),
    "last-branch.title": _("What becomes of “{name}”?"),
    "last-branch.text": _(
        "Branching needs two branches. The steps of the other branch can take the place "
        "of the whole block, or this branch stays and loses its steps."
    ),
    "last-branch.dissolve": _("Keep only the steps of the other branch"),
    "last-branch.empty": _("Empty this branch"),
    # Conflicts.
    "conflict.title": _("This draft was saved elsewhere"),
    "conflict.text": _("{by} saved version {version} on {at}. Your changes are still here."),
    "conflict.both": _("Changed on both sides"),
    "conflict.pair": _("{what}: {mine} (here), {theirs} (there)"),
    "conflict.part": _("{what} “{name}”"),
    "conflict.renamed": _("{what} “{mine}” (there “{theirs}”)"),
    "conflict.did.added": pgettext_lazy("difference", "added"),
    "conflict.did.removed": pgettext_lazy("difference", "removed"),
    "conflict.did.moved": pgettext_lazy("difference", "moved"),
    "conflict.theirs": _("Changed there"),
    "conflict.mine": _("Changed here"),
    "conflict.between": _("What differs"),
    "conflict.load": _("Load theirs, keep mine as a copy"),
    "conflict.as-new": _("Save mine as a new draft"),
    "conflict.overwrite": _("Overwrite"),
    "conflict.sure": _("Overwrite what was saved there; I have read the differences"),
    "change.added": _("{what} “{name}” added"),
    "change.removed": _("{what} “{name}” removed"),
    "change.moved": _("{what} “{name}” moved"),
    "change.changed": _("{what} “{name}” changed"),
    "change.setting": _("Changed for the whole process: {name}"),
    "change.members": _("{what}: {members}"),
    "change.more": _("and {count} more"),
    # Publishing.
    "publish": _("Publish…"),
    "publish.title": _("Publish “{name}”"),
    "publish.problems": _("Problems stand in the way of publishing: {count}"),
    "publish.loading": _("Comparing with the published version…"),
    "publish.first": _("This is the first version of the process."),
    "publish.against": _("It replaces version {version} for new requests."),
    "publish.same": _("Nothing differs from the published version."),
    "publish.warnings": _("Not solved yet; this does not stop publishing ({count})"),
    "publish.running.none": _("No request is under way."),
    "publish.running.one": _("{count} request is under way and stays on its version."),
    "publish.running.other": _("{count} requests are under way and stay on their version."),
    "publish.note": _("What is new"),
    "publish.note-missing": _("Say in a few words what is new."),
    "publish.now": _("Publish now"),
    "publish.done": _("Published as version {version}"),
    "publish.effect": _("New requests use it from now on."),
    "publish.try": _("Start a test request"),
    "publish.versions": _("Versions of the process"),
}


def designer_texts() -> dict[str, str]:
    """All words in the language that is active now, as the page carries them."""
    return _plain(TEXTS | PANEL_TEXTS | TRYING_TEXTS)


def problem_texts() -> dict[str, dict[str, Any]]:
    """What findings are told in: `ProblemTexts` in frontend/src/designer/page.ts."""
    coded = {"type": TYPES, "expected": EXPECTED, "reason": PATTERN_REASONS}
    return {
        "texts": _plain(FINDINGS),
        "shorter": _plain(SHORTER),
        "words": {name: _plain(words) for name, words in coded.items()},
    }


def _plain(texts: Mapping[str, StrOrPromise]) -> dict[str, str]:
    return {key: str(text) for key, text in texts.items()}
