"""Why a request needs a manager, and what he can do about it: the sentence of each incident."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

# The code of `InstanceHeld` → what happened, and what a manager can do.
INCIDENTS: dict[str, StrOrPromise] = {
    "people.nobody": _(
        "Nobody was found who could do this. Name somebody, move the request to another step, "
        "or end it."
    ),
    "people.too_few": _(
        "The people left cannot reach the votes that are needed. Add or name somebody, move the "
        "request to another step, or end it."
    ),
    "goto.limit": _(
        "The request has gone back from here as often as the process allows. Move it to another "
        "step, or end it."
    ),
    "deadline.bad_value": _(
        "The field for the deadline holds no usable length of time, so nothing is due here. "
        "Watch this step yourself, or give it to somebody else."
    ),
    "deadline.nobody": _(
        "The deadline passed and nobody was found to hand the task to. Give it to somebody."
    ),
    "deadline.no_rejection": _(
        "The deadline passed, and work cannot be rejected. Give the task to somebody, move the "
        "request to another step, or end it."
    ),
    "calendar.unknown": _(
        "The working calendar is missing, so all hours of all days were counted. Ask an "
        "administrator for the calendar, or give the task to somebody else in time."
    ),
    "calendar.no_hours": _(
        "The working calendar has too few hours, so all hours of all days were counted. Ask an "
        "administrator to correct it."
    ),
    "delay.no_value": _(
        "The field that says how long to wait is empty. Move the request to another step, or "
        "end it."
    ),
    "set.bad_value": _(
        "A value that the process sets does not fit its field. Move the request to another step, "
        "or end it, and have the process corrected."
    ),
    "subflow.unknown": _(
        "The process that this step starts is not there any more. Publish it again, move the "
        "request to another step, or end it."
    ),
    "subflow.nobody": _(
        "Nobody was found in whose name the further request could be filed. Move the request to "
        "another step, or end it."
    ),
    "subflow.too_many": _(
        "This step would start more requests than are allowed. Move the request to another "
        "step, or end it."
    ),
    "subflow.too_deep": _(
        "Requests have started requests as deeply as is allowed. Move the request to another "
        "step, or end it."
    ),
    "subflow.rejected": _(
        "The further request was rejected, and the process asks you what follows. Move the "
        "request to another step, or end it."
    ),
    "subflow.bad_answer": _(
        "A value from the further request does not fit its field here. Move the request to "
        "another step, or end it, and have the process corrected."
    ),
    "http.bad_address": _(
        "The address that the process builds from the form cannot be called. Move the request "
        "to another step, or end it, and have the process corrected."
    ),
    "http.bad_body": _(
        "What the process would send cannot be built from the form. Move the request to another "
        "step, or end it, and have the process corrected."
    ),
    "http.failed": _(
        "The other system did not answer as it should. Ask whoever runs it, then try again, or "
        "move the request to another step."
    ),
    "http.not_allowed": _(
        "The address may not be called from here. Ask an administrator to allow it, move the "
        "request to another step, or end it."
    ),
    "http.secret_missing": _(
        "A secret that the call needs is missing. Ask an administrator for it, then try again, "
        "or move the request to another step."
    ),
    "http.bad_answer": _(
        "The answer of the other system does not hold what the process needs. Move the request "
        "to another step, or end it, and have the process corrected."
    ),
    "rule.failed": _(
        "The rule failed. Mend it and try again, or move the request to another step."
    ),
    "rule.unknown": _(
        "There is no such rule. Publish it and try again, or move the request to another step."
    ),
    "rule.bad_answer": _(
        "What the rule answered does not fit what it is asked for. Mend the rule and try again, "
        "or move the request to another step."
    ),
    "subflow.bad_input": _(
        "What is handed in does not fit the form of the subprocess. Mend it and try again, or "
        "move the request to another step."
    ),
    "subflow.not_startable": _(
        "The person in whose name the subprocess starts may not start it. Change that and try "
        "again, or move the request to another step."
    ),
}
# After these the step goes on by itself; the incident only has to be known.
GOES_ON = frozenset({"deadline.bad_value", "calendar.unknown", "calendar.no_hours"})


def incident_text(code: str) -> str:
    """What an incident means for a manager; an unknown code is shown as it is, never hidden.

    The code may also be that of a refusal: why a further request could not be filed.
    """
    text = INCIDENTS.get(code)
    return rejection_text(code) if text is None else str(text)
