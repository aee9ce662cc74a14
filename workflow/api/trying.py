"""Trying out a process before it is published: its path, past requests, a scenario of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import publishing, scenarios
from workflow.api import described_trying
from workflow.api.answers import json_answer, placed, reader
from workflow.api.bodies import LONGEST_LOGIN, Body
from workflow.api.previewing import shaped
from workflow.engine.decision import Definition
from workflow.engine.plan import branches_of, compile_plan
from workflow.engine.recording import Filed
from workflow.forms.findings import errors
from workflow.preview import preview_design
from workflow.whatif import compare
from workflow.wording.findings import worded
from workflow.wording.rejections import rejection_text
from workflow.wording.states import step_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User
    from workflow.engine.flowdoc.document import Flowdoc
    from workflow.forms.formdoc import FormDoc
    from workflow.whatif import Example, Report

DEPTH = 64  # contract: documents; everything else is 32 deep
LONGEST_NAME = 100
# What is looked at while somebody waits for the answer; `flow_whatif` takes more.
USUAL_REQUESTS = 50
MOST_REQUESTS = 200
# Errors that stop publishing, and do not touch which way a request goes.
HARMLESS = (
    # Also stands for nobody yet, see `_with_somebody`.
    "people.unknown_id",
    "people.nobody",
    "people.disabled",
    "people.no_managers",
    "deadline.",
    "title.",
    "summary.",
    "target.",
    "flow.no_human_step",
)
NOBODY: dict[str, Any] = {"by": "user", "ids": ["-"]}


@dataclass(frozen=True, slots=True)
class Proposed:
    """A process that is being designed, as it stands in the body."""

    document: dict[str, Any]
    form: dict[str, Any] | None

    @classmethod
    def of(cls, body: Body) -> Proposed:
        body.take("document", required=True)
        return cls(body.mapping("document"), body.mapping_or_null("form"))

    def checked(self, user: User, *, strictly: bool) -> tuple[Flowdoc, FormDoc | None]:
        """The process and its form. Raises Problem 422 flow.invalid with all problems.

        Unless ``strictly``, errors that do not touch the way of a request are let pass.
        """
        checked = publishing.check(user.tenant_id, self.document, self.form)
        if not checked.ok and not strictly:
            filled = publishing.check(user.tenant_id, _with_somebody(self.document), self.form)
            found = errors(filled.findings)
            if filled.doc is not None and all(each.code.startswith(HARMLESS) for each in found):
                return filled.doc, filled.form
        if checked.doc is None or not checked.ok:
            text = _("The process has problems.")
            raise Problem(422, "flow.invalid", text, errors=worded(checked.findings))
        return checked.doc, checked.form

    def compiled(self, user: User, *, strictly: bool) -> Definition:
        """The same, ready to be run."""
        doc, form = self.checked(user, strictly=strictly)
        return Definition(compile_plan(doc), form)


class DraftPreview(APIView):
    """`design-drafts/{id}/preview`: the way of a sample request through what is being designed."""

    json_depth = DEPTH

    @extend_schema(
        operation_id="design_drafts_preview",
        request=described_trying.TryRequest,
        responses=described_trying.TryAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """The document comes along, since it is not saved yet; nothing is written or sent.

        Refused in this order: 400 of the JSON, 404, 403, 400, 422 person.unknown, 422
        flow.invalid. What does not fit of the sample values is in `findings`. Source:
        interface.md 7.9, Simulate.
        """
        body, user = Body(request), _designer(request, pk)
        proposed = Proposed.of(body)
        login = body.text("starter", longest=LONGEST_LOGIN)
        values, picked = body.mapping("values"), body.picked()
        body.finish()
        starter = access.colleague(user, login, "/starter") if login else user
        definition = proposed.compiled(user, strictly=False)
        tried = preview_design(
            definition=definition,
            starter=starter,
            form=values,
            picked=access.picked_people(user, picked),
            now=clock.now(),
        )
        refusal = None if tried.may_start else rejection_text("start.not_allowed")
        return json_answer(
            shaped(tried.preview)
            | {
                "count": tried.count,
                "refusal": refusal,
                "fields": tried.fields,
                "picks": [
                    {"id": step, "name": step_name(definition, step)} for step in tried.picks
                ],
            }
        )


class DraftScenario(APIView):
    """`design-drafts/{id}/record`: a scenario of sample values, with what comes of them now."""

    json_depth = DEPTH

    @extend_schema(
        operation_id="design_drafts_record",
        request=described_trying.RecordRequest,
        responses=described_trying.RecordAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """Everybody agrees in it. It is answered, not stored: a save of the draft stores it.

        Refused as the preview, and as a start: 422 form.invalid and picked.invalid, with
        positions below `/values` and `/picked`.
        """
        body, user = Body(request), _designer(request, pk)
        proposed = Proposed.of(body)
        name = body.text("name", longest=LONGEST_NAME, required=True).strip()
        login = body.text("starter", longest=LONGEST_LOGIN) or user.login
        values, picked = body.mapping("values"), body.picked()
        body.finish()
        access.colleague(user, login, "/starter")
        doc, form = proposed.checked(user, strictly=True)
        filed = Filed(name or login, login, values, picked)
        with placed("values"):
            made = scenarios.recorded(user.tenant_id, doc, form, filed, clock.now())
        return json_answer({"scenario": made})


class DraftWhatIf(APIView):
    """`design-drafts/{id}/what-if`: past requests through what is being designed."""

    json_depth = DEPTH

    @extend_schema(
        operation_id="design_drafts_what_if",
        request=described_trying.WhatIfRequest,
        responses=described_trying.WhatIfAnswer,
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """The last requests of the process with this key; nothing is written or sent.

        It needs the permission to manage requests, because it tells of all of them. Refused in
        this order: 400 of the JSON, 404, 403, 400, 404 flow.unknown, 422 flow.invalid. Source:
        approvals.md 5, idea 3.
        """
        body, user = Body(request), _designer(request, pk)
        access.require(user, permissions.FLOW_MANAGE)
        proposed = Proposed.of(body)
        last = body.version("last") if body.has("last") else USUAL_REQUESTS
        body.finish()
        if not 1 <= last <= MOST_REQUESTS:
            raise _out_of_range()
        key = proposed.document.get("key")
        access.definition(user, key if isinstance(key, str) else "")
        definition = proposed.compiled(user, strictly=True)
        report = compare(
            tenant_id=user.tenant_id,
            key=definition.plan.doc.key,
            candidate=definition,
            last=last,
            now=clock.now(),
        )
        return json_answer(_told(report, definition))


def _with_somebody(part: Any) -> Any:
    """The same JSON; where nobody is named yet, an unknown person is, so that it can be read."""
    if isinstance(part, list):
        return [_with_somebody(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {name: _with_somebody(each) for name, each in part.items()}
    return found | {"any_of": [NOBODY]} if found.get("any_of") == [] else found


def _designer(request: Request, pk: str) -> User:
    """Who asks about a draft of his own. Raises Problem 404, 403."""
    user = reader(request)
    access.design_draft(user, access.row_id(pk))
    return user


def _out_of_range() -> Problem:
    text = _("This should be from %(low)d to %(high)d.") % {"low": 1, "high": MOST_REQUESTS}
    args = {"low": 1, "high": MOST_REQUESTS}
    error = {"code": "request.range", "at": "/last", "args": args, "message": text}
    return Problem(400, "request.invalid", text, errors=[error])


def _told(report: Report, definition: Definition) -> dict[str, Any]:
    names: Mapping[str, str] = _branch_names(definition)
    return {
        "looked_at": report.looked_at,
        "counts": report.counts,
        "reasons": report.by_code,
        "branches": [
            {
                "step": {"id": each.step, "name": step_name(definition, each.step)},
                "branch": {
                    "id": each.branch,
                    "name": names.get(f"{each.step}/{each.branch}") or each.branch,
                },
                "past": each.past,
                "candidate": each.candidate,
            }
            for each in report.branches
        ],
        "examples": [_example(each) for each in report.examples],
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "id": str(example.id),
        "number": example.number,
        "title": example.title,
        "url": reverse("request", args=[example.id]),
        "comparison": example.comparison,
        "step": {"id": example.step, "name": example.step_name} if example.step else None,
        "code": example.code,
    }


def _branch_names(definition: Definition) -> dict[str, str]:
    return {
        f"{step}/{branch.id}": branch.name
        for step, planned in definition.plan.steps.items()
        for branch in branches_of(planned.step)
    }
