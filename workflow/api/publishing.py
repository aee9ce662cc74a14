"""Checking and publishing a process through REST."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import msgspec
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.idempotency import answer_once, receipt_of
from flowadmin.rest.preconditions import if_match
from flowadmin.rest.problems import Problem
from workflow import access, drafted
from workflow.actions import design_drafts, keeping_drafts, publishing, scenarios
from workflow.api import described
from workflow.api.answers import json_answer, reader
from workflow.api.bodies import LONGEST_ID, Body
from workflow.models import Version
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User

DEPTH = 64  # contract: documents; everything else is 32 deep
LONGEST_NOTE = 500


class Validate(APIView):
    """`flows/validate`: everything that is wrong with a process; nothing is stored."""

    json_depth = DEPTH

    @extend_schema(
        operation_id="flows_validate",
        request=OpenApiTypes.OBJECT,
        responses=described.ValidateAnswer,
    )
    def post(self, request: Request) -> HttpResponse:
        """The body is a flowdoc, or `{document, form, scenarios}`; positions point into it.

        Scenarios are played once the process can be published; red ones are warnings. A bare
        flowdoc that names a form is checked with the form published under its key.
        """
        body, user = Body(request), reader(request)
        access.require_any(user, permissions.FLOW_DESIGN, permissions.FLOW_PUBLISH)
        if body.has("document"):
            document, form = body.take("document"), body.take("form")
            played = body.take("scenarios")
            body.finish()
            checked = publishing.check(user.tenant_id, document, form)
            problems = [*worded(checked.findings), *_of_scenarios(user, checked, played)]
        else:
            document = dict(request.data)
            checked = publishing.check(user.tenant_id, document, _published_form(user, document))
            problems = _in_the_document(worded(checked.findings))
        ok = all(problem["level"] != "error" for problem in problems)
        return json_answer({"ok": ok, "problems": problems})


def _of_scenarios(user: User, checked: publishing.Checked, raw: object) -> list[dict[str, Any]]:
    if raw is None:
        return []
    doc = checked.doc if checked.ok else None
    played = scenarios.play_all(user.tenant_id, doc, checked.form, raw)
    return scenarios.problems(played, red_is="warning")


def _published_form(user: User, document: dict[str, Any]) -> object | None:
    """The newest form of this key and, when the document pins one, of this version."""
    key, reference = document.get("key"), document.get("form")
    if not isinstance(key, str) or not isinstance(reference, dict):
        return None
    rows = Version.objects.filter(
        tenant_id=user.tenant_id, definition__key=key, form_number__gt=0
    ).order_by("-number")
    pinned = reference.get("version")
    if isinstance(pinned, int):
        rows = rows.filter(form_number=pinned)
    text = rows.values_list("form", flat=True).first()
    return msgspec.json.decode(text) if text else None


def _in_the_document(problems: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [problem | {"at": problem["at"].removeprefix("/document")} for problem in problems]


class Publish(APIView):
    """`flows/{key}/actions/publish`: a new immutable version, for which new requests are filed."""

    needs_key = True
    needs_version = True
    json_depth = DEPTH

    @extend_schema(
        operation_id="flows_publish",
        request=described.PublishRequest,
        responses={200: described.PublishAnswer, 201: described.PublishAnswer},
    )
    def post(self, request: Request, key: str) -> HttpResponse:
        """201 for a new version, 200 when this very document is a version already.

        What is published is a document, or what stands in a draft of one's own; If-Match then
        says which version of the draft was seen. Refused in this order: 403, 400, 404 (no such
        draft), 412, 422 with all problems.
        """
        body, user = Body(request), reader(request)
        access.require(user, permissions.FLOW_PUBLISH)
        of_draft = body.has("draft")
        draft_id = body.text("draft", longest=LONGEST_ID, required=of_draft)
        over = body.version("over") if body.has("over") else None
        document, form = None, None
        if not of_draft:
            document, form = body.take("document", required=True), body.take("form")
        note = body.text("note", longest=LONGEST_NOTE)
        given, require_green = body.take("scenarios"), body.truth("require_green")
        body.finish()
        seen = if_match(request) if of_draft and "If-Match" in request.headers else None
        now = clock.now()
        more: _More = {"note": note, "now": now, "scenarios": given}

        def act() -> tuple[int, dict[str, Any]]:
            if over is not None:
                drafted.require_over(drafted.live_version(user.tenant_id, key), over)
            if of_draft:
                draft = access.design_draft(user, access.row_id(draft_id))
                # Behind the lock the draft is what is published, key and all.
                keeping_drafts.hold(draft, seen)
                design = design_drafts.Design.of(draft)
                _refuse_key(user, key, design.document, design.form)
                version, is_new = design_drafts.publish(
                    user=user, draft=draft, seen=seen, require_green=require_green, **more
                )
            else:
                _refuse_key(user, key, document, form)
                version, is_new = publishing.publish(
                    user=user,
                    document=document,
                    form=form,
                    require_green=require_green,
                    **more,
                )
            published: dict[str, Any] = {
                "key": key,
                "version": version.number,
                "digest": version.digest,
                "scenarios": scenarios.results_of(version),
            }
            return 201 if is_new else 200, published

        return answer_once(receipt_of(request, "flows.publish"), now, act)


class _More(TypedDict):
    """What publishing takes, whatever is published."""

    note: str
    now: datetime
    scenarios: object | None


def _refuse_key(user: User, key: str, document: object, form: object) -> None:
    """The key in the address is the document's. Raises Problem 422 with all other problems too."""
    problems: list[dict[str, Any]] = []
    if isinstance(document, dict) and document.get("key") != key:
        text = _("The address speaks of the process “%(key)s”.") % {"key": key}
        problems.append(
            {
                "code": "flow.other_key",
                "at": "/document/key",
                "args": {"key": key},
                "message": text,
            }
        )
    if problems:
        found = worded(publishing.check(user.tenant_id, document, form).findings)
        raise Problem(
            422, "flow.invalid", _("The process has problems."), errors=[*found, *problems]
        )
