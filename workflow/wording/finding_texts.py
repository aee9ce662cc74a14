"""The sentence of each finding's code; ``%(name)s`` is filled from the finding's arguments.

`TEXTS` speaks of documents, `OF_VALUES` of what somebody filled into a form, and `SHORTER` is what
is said when a finding carries fewer arguments than the first sentence asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from workflow.wording.scenario_texts import SCENARIOS

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

Texts = dict[str, "StrOrPromise"]

_ENVELOPE: Texts = {
    "doc.version": _("Only version %(expected)s of the format can be read."),
    "doc.size": _("This is too large: at most %(high)s."),
    "doc.depth": _("This is nested too deeply: at most %(high)s levels."),
    "doc.unknown_key": _("“%(key)s” is not known here."),
    "doc.bad_type": _("This should be: %(expected)s."),
    "doc.bad_value": _("Expected here: %(expected)s. Found: “%(got)s”."),
    "doc.out_of_range": _("This should be from %(low)s to %(high)s and is %(got)s."),
    "doc.bad_character": _("This contains a control character."),
    "doc.one_of": _("Give exactly one of these: %(fields)s."),
    "doc.field_missing": _("“%(field)s” is missing."),
    "doc.too_many": _("There are too many of these: at most %(max)s."),
    "doc.too_many_problems": _("There are more problems; the first %(shown)s are listed."),
    "id.missing": _("The id is missing."),
    "id.duplicate": _("The id “%(id)s” is used more than once."),
    "id.reserved": _("The id “%(id)s” is reserved. Choose another one."),
    "id.changed_after_publish": _("The id “%(id)s” may not change after publishing."),
    "step.unknown_kind": _("There is no kind of step called “%(kind)s”."),
    "step.field_missing": _("“%(field)s” is missing."),
    "step.field_not_allowed": _("A step of kind “%(kind)s” has no “%(key)s”."),
}

_PATHS: Texts = {
    "flow.no_human_step": _("Nobody is asked: there are only automatic steps."),
    "flow.unreachable": _("This step can never be reached."),
    "flow.after_finish": _("This comes after the end and is never reached."),
    "flow.no_end": _("Not every way reaches the end."),
    "branch.too_few": _("This needs at least two branches."),
    "branch.no_otherwise": _("One branch has to be for all other cases (otherwise)."),
    "branch.many_otherwise": _("Only one branch can be for all other cases (otherwise)."),
    "branch.otherwise_not_last": _("The branch for all other cases has to be the last one."),
    "branch.when_missing": _("The branch “%(branch)s” needs a condition."),
    "branch.when_in_parallel": _("All parallel branches are taken: they have no condition."),
    "branch.when_in_otherwise": _(
        "The branch “%(branch)s” is for all other cases: its condition would never be asked."
    ),
    "branch.empty_all": _("No branch contains a step."),
    "branch.overlap": _("Two branches can be true at once; the first one is taken."),
    "branch.gap": _("Some values are covered by no branch but the last."),
    "branch.never": _("This branch can never be taken."),
    "join.missing": _("Say how many branches are waited for (join)."),
    "join.at_least_too_big": _("It waits for %(got)s branches and there are only %(high)s."),
    "goto.not_dominator": _("“%(target)s” is not a step that every way to here has passed."),
    "goto.into_branch": _("“%(target)s” lies in a branch; a jump cannot lead into it."),
    "goto.no_limit": _("Going back to “%(target)s” asks nobody and needs a limit (max)."),
}

_PEOPLE: Texts = {
    "people.none": _("Nobody is named here."),
    "people.nobody": _("Nobody was found who could decide this step."),
    "people.unknown_id": _("“%(code)s” is not known in your organisation."),
    "people.disabled": _("The account of “%(code)s” is disabled."),
    "people.left_soon": _("“%(code)s” is disabled or absent today."),
    "people.not_dominating_step": _(
        "“%(target)s” is not a step at which people decide on every way to here."
    ),
    "people.pick_range": _("The least number (%(low)s) is greater than the most (%(high)s)."),
    "people.single": _("Only one person is named. When this person is away, the request waits."),
    "people.no_managers": _("The managers are asked here and the process names none."),
    "people.source_not_here": _("People cannot be found by “%(by)s” here."),
    "self.forbid_leaves_nobody": _(
        "Only the person who filed the request is asked, and that is forbidden here."
    ),
    "decide.order_unstable": _("One by one needs an order: sort by name or by nearness."),
    "decide.ratio_range": _("The share has to be above zero and at most one, or a count."),
    "decide.weights_unknown_user": _("“%(user)s” has a weight and no vote."),
    "decide.weights_cannot_pass": _(
        "The step can never pass: it needs %(need)s and all votes together are %(total)s."
    ),
    "reject.target_missing": _("There is no step “%(target)s” to return to."),
    "reject.target_not_dominator": _(
        "One cannot return to “%(target)s”: not every way to here has passed it."
    ),
    "reject.ask_without_targets": _(
        "The person is asked where to return, and nothing is on offer."
    ),
    "reject.no_branch": _("There is no parallel branch around this step that could end."),
    "deadline.bad_value": _("This has to be a whole number of minutes of at least one."),
    "deadline.too_long": _("This is too long: at most %(high)s minutes."),
    "deadline.remind_after_end": _("This reminder would come after the deadline has acted."),
    "deadline.target_not_dominator": _(
        "The deadline cannot lead to “%(target)s”: not every way to here has passed it."
    ),
    "deadline.work_rejects": _("Work cannot be rejected when its deadline passes."),
    "event.post_not_here": _("Nothing can be posted on “%(on)s”, only on a decision."),
}

_CONDITIONS: Texts = {
    "cond.bad_shape": _("A condition asks exactly one question; this one has %(found)s."),
    "cond.bad_op": _("“%(op)s” cannot be asked of the field “%(field)s” (%(type)s)."),
    "cond.bad_value": _("“%(op)s” cannot compare the field “%(field)s” (%(type)s) with this."),
    "cond.depth": _("This condition is nested too deeply: at most %(max)s levels."),
    "cond.too_many": _("There are too many conditions: at most %(max)s."),
    "cond.pattern_unsafe": _("This pattern cannot be used: %(reason)s."),
    "cond.unknown_step": _("“%(target)s” is not an earlier step that is decided."),
}

_FORM: Texts = {
    "form.missing": _("The process names a form and none was given."),
    "form.unknown_field": _("The form has no field “%(field)s”."),
    "form.type_mismatch": _("The field “%(field)s” (%(type)s) does not fit here."),
    "form.right_on_missing_column": _("The table has no column “%(field)s”."),
    "form.required_but_hidden": _(
        "The field “%(field)s” is required, and nobody who sees it first can fill it in."
    ),
    "form.condition_on_optional": _(
        "The field “%(field)s” may be empty when this condition asks for it."
    ),
    "form.unknown_type": _("There is no type of field called “%(type)s”."),
    "form.field_missing": _("“%(key)s” is missing."),
    "form.member_not_allowed": _("A field of type %(type)s has no “%(key)s”."),
    "form.bad_limit": _("This is no “%(key)s” for a field of type %(type)s."),
    "form.limit_range": _("The lower limit lies above the upper one."),
    "form.bad_default": _("The default value does not fit the field."),
    "form.bad_column": _("A table cannot have a column of type %(type)s."),
    "form.option_duplicate": _("The option “%(id)s” is there more than once."),
    "form.options_missing": _("A choice needs at least one option."),
    "form.circle": _("The field “%(field)s” depends on itself."),
    "summary.unknown_field": _("“%(field)s” cannot be shown in the summary."),
    "title.hidden_field": _(
        "The title shows the field “%(field)s”, which this step hides. Everybody reads the title."
    ),
    "title.unknown_placeholder": _("“%(placeholder)s” is not a placeholder that is filled in."),
}

_VALUES: Texts = {
    "form.required": _("This has to be filled in."),
    "form.not_editable": _("You cannot change this here."),
    "form.bad_value": _("This should be %(type)s."),
    "form.out_of_range": _("This number is too large for the field."),
    "form.control_character": _("Character %(position)s is a control character."),
    "form.too_long": _("This is too long: %(length)s characters of at most %(max)s."),
    "form.too_short": _("This is too short: %(length)s characters of at least %(min)s."),
    "form.too_small": _("This has to be at least %(min)s."),
    "form.too_big": _("This has to be at most %(max)s."),
    "form.too_many_decimals": _("Too many decimals: at most %(max)s."),
    "form.too_early": _("The earliest day is %(earliest)s."),
    "form.too_late": _("The latest day is %(latest)s."),
    "form.too_many": _("Too many are chosen: at most %(max)s."),
    "form.too_few": _("Too few are chosen: at least %(min)s."),
    "form.unknown_option": _("This option does not exist."),
    "comment.required": _("A comment is needed here."),
    "comment.not_taken": _("This step takes no comment."),
    "reason.required": _("Say why."),
    "form.columns_missing": _("A table needs at least one column."),
    "form.too_many_rows": _("There are too many rows: at most %(max)s."),
    "form.too_few_rows": _("There are too few rows: at least %(min)s."),
    "form.too_large": _("This is too large: at most %(max)s bytes."),
    "form.row_not_added": _("You cannot add rows here."),
    "form.row_not_removed": _("You cannot remove rows here."),
    "form.unknown_row": _("This row does not exist any more."),
    "form.unknown_person": _("There is no such active person."),
    "form.unknown_department": _("There is no such department."),
    "form.unknown_file": _("There is no such file that you uploaded."),
}

# What a command about people, places and evidence names and the request does not accept.
_COMMANDS: Texts = {
    "person.unknown": _("There is no such active person."),
    "person.already_holds": _("This person already holds a task of this step."),
    "person.already_decided": _("This person has already decided in this step."),
    "person.already_reads": _("Everybody named here can read the request already."),
    "person.in_chain": _("This person has had this task already."),
    "person.is_initiator": _("Whoever filed the request may not decide this step."),
    "person.excluded": _("The process excludes this person from this step."),
    "people.required": _("Name at least one person."),
    "people.too_many": _("Too many people are named: at most %(max)s."),
    "picked.missing": _("Choose the people of this step: at least %(min)s."),
    "picked.too_few": _("Too few people are chosen: at least %(min)s."),
    "picked.too_many": _("Too many people are chosen: at most %(max)s."),
    "picked.unknown": _("Somebody chosen here is not an active person of your organisation."),
    "picked.not_allowed": _("Somebody chosen here is not among those who may be chosen."),
    "picked.not_asked": _("Nobody is to be chosen for this step now."),
    "files.required": _("A file is needed here."),
    "files.not_taken": _("This step takes no files."),
    "signature.required": _("A signature is needed here."),
    "signature.not_taken": _("This step takes no signature."),
    "signature.no_picture": _("A signature has to be a picture."),
    "snooze.bad_moment": _("This moment has passed already, or lies too far ahead."),
    "return.bad_target": _("The request cannot go back to this step."),
    "jump.unknown_step": _("There is no such step."),
    "jump.into_branch": _(
        "This step lies in a branch that runs beside others; nobody can jump into it."
    ),
}

_OTHER_SYSTEMS: Texts = {
    "http.scheme": _("The address has to begin with https://."),
    "http.private_host": _("“%(host)s” is an address inside the network and is not called."),
    "http.inline_secret": _("A secret does not stand in the process: refer to it by its key."),
    "http.timeout_range": _("The time has to be above zero and at most %(high)s seconds."),
    "http.body_template": _("“%(placeholder)s” is not a placeholder that is filled in."),
    "notice.no_text": _("The notice has no text: whoever gets it reads its title alone."),
    "number.shared": _(
        "The process “%(flow)s” numbers its requests with “%(prefix)s” too: two requests would "
        "have the same number."
    ),
    "subflow.unknown": _("There is no process “%(flow)s”."),
    "subflow.recursive": _("The process “%(flow)s” would start itself."),
    "subflow.input_type": _("“%(field)s” does not fit the form of the other process."),
    "subflow.not_startable": _("The process “%(flow)s” cannot be started like this."),
    "rule.unknown": _("There is no rule “%(rule)s”."),
    "rule.version_gone": _("This version of the rule “%(rule)s” does not exist any more."),
    "rule.type": _("The answer of the rule “%(rule)s” is compared with values of two kinds."),
    "rule.not_here": _("The rule “%(rule)s” cannot be asked here: nothing waits for its answer."),
    "target.unknown": _("There is no target “%(target)s”."),
}

_EDITS: Texts = {
    "edit.nothing": _("Say what should change."),
    "edit.too_many": _("At most %(max)s changes at once."),
    "edit.unknown_step": _("There is no such step."),
    "edit.passed": _("The request does not come by this step any more."),
    "edit.open": _("This step is open now. Give its task to somebody else, or add people to it."),
    "edit.asks_nobody": _("This step asks nobody."),
    "edit.designed": _("Only steps that were added here can be taken out again."),
    "edit.nothing_follows": _("Nothing comes after this step."),
    "edit.relied_on": _(
        "Somebody did not have to decide earlier because this step asks them, so it stays."
    ),
    "edit.name": _("Give the step a name of at most %(max)s characters."),
}

_NOT_RUN_YET: Texts = {
    "not_run_yet.kind": _("This version does not run steps of kind “%(kind)s” yet."),
    "not_run_yet.decide": _("This version does not decide by “%(mode)s” yet."),
    "not_run_yet.empty": _("This version does not know the rule “%(rule)s” for nobody yet."),
    "not_run_yet.self": _(
        "This version does not know the rule “%(rule)s” for the person who filed it yet."
    ),
    "not_run_yet.dedupe": _("This version does not pass over repeated approvers yet."),
    "not_run_yet.reject": _("This version does not follow “%(reject)s” after a rejection yet."),
    "not_run_yet.deadline": _("This version does not watch deadlines yet."),
    "not_run_yet.evidence": _("This version does not take “%(evidence)s” with a decision yet."),
    "not_run_yet.policy": _("This version does not know “%(value)s” for “%(policy)s” yet."),
    "not_run_yet.limit": _("This version does not watch the limit “%(limit)s” yet."),
    "not_run_yet.field": _("This version does not show fields of type %(type)s yet."),
    "not_run_yet.act": _("This version does not offer “%(act)s” yet; it is left out."),
}

TEXTS: Texts = {
    **_ENVELOPE,
    **_PATHS,
    **_PEOPLE,
    **_CONDITIONS,
    **_FORM,
    **_VALUES,
    **_COMMANDS,
    **_OTHER_SYSTEMS,
    **_EDITS,
    **_NOT_RUN_YET,
    **SCENARIOS,
}

# The same codes where they speak of a value that somebody filled in.
OF_VALUES: Texts = {
    "form.unknown_field": _("There is no such field here."),
    "form.type_mismatch": _("This should be %(type)s."),
}

SHORTER: Texts = {
    "doc.version": _("Only version %(supported)s of the format can be read."),
    "doc.size": _("This is too large: at most %(max)s bytes."),
    "doc.bad_value": _("Expected here: %(expected)s."),
    "cond.bad_op": _("“%(op)s” cannot be asked here."),
    "cond.bad_value": _("This condition cannot compare with this value."),
    "form.unknown_field": _("There is no such field here."),
    "form.type_mismatch": _("This should be %(type)s."),
    "not_run_yet.field": _("This version does not show this field yet."),
}

# The same without any argument.
SHORTEST: Texts = {"form.type_mismatch": _("This does not fit here.")}

# What arguments are called when a sentence speaks of them; other words stand as they are.
TYPES: Texts = {
    "text": _("text"),
    "long_text": _("long text"),
    "integer": _("whole number"),
    "number": pgettext_lazy("type", "number"),
    "amount": _("amount"),
    "date": _("date"),
    "time": _("time"),
    "timestamp": _("moment"),
    "bool": _("yes or no"),
    "choice": _("choice"),
    "multi_choice": _("choice of several"),
    "user": _("person"),
    "department": _("department"),
    "table": _("table"),
    "file": _("file"),
    "note": _("note"),
}
# The same types in "This should be …".
VALUES_OF_TYPES: Texts = {
    "text": _("a text"),
    "long_text": _("a text"),
    "integer": _("a whole number"),
    "number": _("a number such as 12.5"),
    "amount": _("an amount such as 12.50"),
    "date": _("a date such as 2026-03-02"),
    "time": _("a time such as 09:30"),
    "timestamp": _("a moment such as 2026-03-02T09:30:00Z"),
    "bool": _("yes or no"),
    "choice": _("one of the options"),
    "multi_choice": _("some of the options"),
    "user": _("a person"),
    "department": _("a department"),
    "table": _("a list of rows"),
    "file": _("a list of files"),
    "note": _("left out: a note holds nothing"),
}
EXPECTED: Texts = {
    "object": _("an object {…}"),
    "list": _("a list […]"),
    "text": _("a text"),
    "bool": _("true or false"),
    "whole number": _("a whole number"),
    "true or false": _("true or false"),
    "condition": _("a condition"),
    "duration": _("a duration such as PT2H"),
    "timestamp": _("a moment such as 2026-03-02T09:30:00Z"),
    "id": _("an id of small letters, digits and _"),
    "slug": _("a name of small letters, digits and _"),
    "header name": _("the name of a header"),
    "null": _("nothing (null)"),
}
PATTERN_REASONS: Texts = {
    "length": _("it is too long"),
    "depth": _("it is nested too deeply"),
    "size": _("it repeats too much"),
    "repeat": _("a repetition is not allowed there"),
    "escape": _("a \\ is not followed by what it may be followed by"),
    "class": _("a […] is not right"),
    "group": _("a (…) is not right"),
}
