"""What the pages `/problems/<code>` say about the refusals of workflow."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flowadmin.rest.catalogue import describe

_OVER = _("It is over already")
_REFUSED = _("The process does not accept this")
_ALONE = _("This task has to be decided by itself")

for _code, _title, _text in (
    (
        "reply.over",
        _OVER,
        _("An answer is taken once, and only as long as its step waits for it."),
    ),
    (
        "http.bad_answer",
        _("The answer is not what the step asks for"),
        _("Each of “errors” points at a part that is missing or of another type."),
    ),
    ("flow.unknown", _("There is no such process"), _("GET flows/ lists those you may start.")),
    (
        "flow.suspended",
        _("The process is suspended"),
        _("It accepts no new requests until a manager resumes it."),
    ),
    (
        "flow.not_suspended",
        _("The process is not suspended"),
        _("It accepts new requests already."),
    ),
    (
        "publication.nothing_before",
        _("There is no version before this one"),
        _("Only a publication that took the place of another one can be undone."),
    ),
    (
        "version.is_live",
        _("This version is live already"),
        _("New requests begin with it; only another version can be published again."),
    ),
    (
        "category.invalid",
        _("This cannot be a category"),
        _("A category is one line of a few words; an empty one takes the process out of it."),
    ),
    (
        "flow.invalid",
        _("The process has problems"),
        _("Each of “errors” says where and what; nothing was published."),
    ),
    (
        "flow.version_moved",
        _("The process was published meanwhile"),
        _("Compare with the version that is live now, then publish over that one."),
    ),
    (
        "bulk.too_many",
        _("Too many tasks at once"),
        _("A page decides at most “most” of them together; choose fewer."),
    ),
    (
        "view.too_many",
        _("Too many views are kept"),
        _("Nobody keeps more than “most” of them: delete one that is not used any more."),
    ),
    (
        "draft.deleted",
        _("The draft was deleted"),
        _("Its owner deleted it in another window, at the moment in “deleted_at”."),
    ),
    (
        "draft.version_moved",
        _("The draft has changed"),
        _("It was saved in another window. Read it again, then save against its new version."),
    ),
    (
        "draft.too_many",
        _("There are too many drafts"),
        _("Nobody has more than 200 of one kind; delete some first."),
    ),
    (
        "draft.invalid",
        _("This cannot be kept as a draft"),
        _("A draft may have problems, but has to be a document of a known version and size."),
    ),
    (
        "draft.in_use",
        _("The draft is in use"),
        _("Only drafts that nobody has saved for a year are deleted by an operator."),
    ),
    ("note.required", _REFUSED, _("What is published needs a note for the list of versions.")),
    (
        "draft.deployment_changed",
        _("The process was published anew"),
        _("The draft belongs to an earlier version. It is kept; nothing was started."),
    ),
    (
        "draft.form_not_dynamic",
        _("This process keeps no drafts"),
        _("It has no form of its own; whatever files its requests keeps what was typed."),
    ),
    (
        "start.not_allowed",
        _("You may not start this process"),
        _("The process names who may; flows/ lists those you may start."),
    ),
    (
        "picked.invalid",
        _REFUSED,
        _("Each of “errors” points at a step and says whom one may pick for it, and how many."),
    ),
    (
        "task.not_yours",
        _("This task is not yours"),
        _("Only its holder decides a task; a manager can give it to somebody else."),
    ),
    (
        "task.not_open",
        _OVER,
        _("The task is no longer open: “handled_by”, “handled_at” and “decision” say why."),
    ),
    (
        "task.claimed",
        _OVER,
        _("A colleague has taken this work out of the pool; he can give it back."),
    ),
    ("task.not_claimed", _OVER, _("Only what one has taken out of a pool is given back.")),
    (
        "task.version_moved",
        _("The task has changed"),
        _("Read it again, then decide with its new version."),
    ),
    ("instance.not_running", _OVER, _("The request has ended; its history can be read.")),
    ("instance.unknown", _("There is no such request"), _("Or you may not know of it.")),
    ("instance.paused", _OVER, _("A manager has suspended the request; he can resume it.")),
    ("instance.not_paused", _OVER, _("The request is not suspended.")),
    ("instance.moved", _("The request has changed"), _("Somebody else was faster. Try again.")),
    ("instance.too_long", _REFUSED, _("A request has at most 99,999 events.")),
    (
        "form.invalid",
        _("Some fields are not right"),
        _("Each of “errors” points at a field; nothing was stored."),
    ),
    ("comment.required", _REFUSED, _("This decision needs a comment.")),
    ("comment.not_taken", _REFUSED, _("This step takes no comment.")),
    ("reason.required", _REFUSED, _("What a manager does needs a reason, for the record.")),
    ("signature.required", _REFUSED, _("This decision needs a signature: the id of a file.")),
    ("signature.not_taken", _REFUSED, _("This step takes no signature.")),
    ("signature.no_picture", _REFUSED, _("A signature has to be a picture.")),
    ("files.required", _REFUSED, _("This decision needs at least one file.")),
    ("files.not_taken", _REFUSED, _("This step takes no files.")),
    (
        "act.switched_off",
        _("The process does not offer this here"),
        _("Whoever designed the process did not switch this act on for the step."),
    ),
    (
        "act.not_here",
        _("This task does not offer that"),
        _("The kind of the step, or how one got the task, does not go with this act."),
    ),
    ("return.nowhere", _REFUSED, _("There is no earlier step to go back to.")),
    ("return.bad_target", _REFUSED, _("“return_targets” of the task lists where it may go.")),
    ("signer.not_added", _REFUSED, _("Only people who were added can be removed.")),
    ("signer.not_yours", _REFUSED, _("Whoever added a person removes him, or a manager does.")),
    ("people.required", _REFUSED, _("Name at least one person.")),
    ("people.too_many", _REFUSED, _("At most a hundred people at once.")),
    (
        "people.too_deep",
        _REFUSED,
        _("People are added to added people three levels deep at most."),
    ),
    ("people.nobody", _REFUSED, _("Nobody was found who could decide its first step.")),
    ("person.unknown", _REFUSED, _("Name an active person of your organisation by login.")),
    ("person.already_holds", _REFUSED, _("A person holds one task of a step at most.")),
    ("person.already_decided", _REFUSED, _("This person has decided in this step already.")),
    ("person.already_reads", _REFUSED, _("All of them have a copy already.")),
    ("person.in_chain", _REFUSED, _("The task does not go back to somebody who has had it.")),
    ("person.is_initiator", _REFUSED, _("Here the initiator may not decide his own request.")),
    ("person.excluded", _REFUSED, _("The process leaves this person out of the step.")),
    ("person.same", _REFUSED, _("Tasks are handed over to somebody else.")),
    ("snooze.bad_moment", _REFUSED, _("A moment within the coming 366 days, or null.")),
    ("withdraw.not_yours", _REFUSED, _("Only its initiator withdraws a request.")),
    ("withdraw.never", _REFUSED, _("This process does not let its initiators withdraw.")),
    ("withdraw.decided", _OVER, _("Somebody has decided already; a manager can cancel it.")),
    ("resubmit.not_returned", _OVER, _("The request is not with its initiator now.")),
    ("take_back.not_decided", _OVER, _("There is no decision of a person to take back.")),
    ("take_back.too_late", _OVER, _("The process gives less time to take a decision back.")),
    ("take_back.decided", _OVER, _("Somebody has decided on the strength of it.")),
    ("take_back.moved", _OVER, _("The request has moved on by other means.")),
    ("take_back.joined", _OVER, _("The branches have been joined.")),
    ("take_back.sent", _OVER, _("Something has been sent out because of it.")),
    ("jump.unknown_step", _REFUSED, _("“jump_targets” of the request lists the steps.")),
    ("jump.into_branch", _REFUSED, _("Its sibling branches would be missing at the join.")),
    ("step.not_held", _OVER, _("The step is not held for want of people.")),
    (
        "edit.not_yours",
        _("You may not change what comes next"),
        _("Managers may, and whoever has an open task of a step that lets its holders."),
    ),
    (
        "edit.invalid",
        _REFUSED,
        _("Each of “errors” points at one of “edits”; “future” of the request lists the steps."),
    ),
    ("bulk.evidence_needed", _ALONE, _("It needs a signature or files.")),
    ("bulk.form_needed", _ALONE, _("It has fields to fill in.")),
    ("bulk.people_needed", _ALONE, _("People have to be picked for a later step.")),
    ("bulk.target_needed", _ALONE, _("A step to go back to has to be chosen.")),
):
    describe(_code, _title, _text)
