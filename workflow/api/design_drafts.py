"""Design drafts through REST: the box, one draft, and saving it against its version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.pagination import page_answer, read_page, unknown_parameters
from flowadmin.rest.preconditions import etag_of, if_match
from flowadmin.rest.problems import Problem
from workflow import access, drafted
from workflow.actions import design_drafts, keeping_drafts
from workflow.actions.design_drafts import Design
from workflow.api import described, described_drafts, shapes
from workflow.api.answers import json_answer, made_once, reader
from workflow.api.bodies import LONGEST_ID, Body
from workflow.models import Draft, Version
from workflow.models.drafts import LONGEST_NAME
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpResponse
    from rest_framework.request import Request

    from flowadmin.directory.models import User

DEPTH = 64  # contract: documents; everything else is 32 deep
SOURCES = ("document", "template", "flow", "draft")
LONGEST_KEY = 128


class DesignDrafts(APIView):
    """`design-drafts/`: a person's own box, and a new draft in it."""

    json_depth = DEPTH
    may_have_key = True
    sends_etag = True

    @extend_schema(
        operation_id="design_drafts_list",
        parameters=described.PAGE,
        responses=described.page_of(described_drafts.DesignDraftRow),
    )
    def get(self, request: Request) -> HttpResponse:
        """One's own drafts, the one saved last first; drafts of others are in no list."""
        unknown_parameters(request, {"page", "page_size"})
        page, user = read_page(request), reader(request)
        access.require(user, permissions.FLOW_DESIGN)
        rows = drafted.drafts_of(user, Draft.Kind.DESIGN)
        found = list(rows[page.start : page.stop])
        live = drafted.live_versions(user.tenant_id, [row.flow_key or "" for row in found])
        shown = [_row(row, user, live.get(row.flow_key or "")) for row in found]
        return json_answer(page_answer(request, rows.count(), shown))

    @extend_schema(
        operation_id="design_drafts_create",
        request=described_drafts.DesignDraftNew,
        responses={201: described_drafts.DesignDraft},
    )
    def post(self, request: Request) -> HttpResponse:
        """From a document, a template, a published process, or another draft of one's own.

        An Idempotency-Key is optional: with it the draft is made once, however often it is asked
        for. Refused in this order: 400, 403, 404, 409, 422.
        """
        body, user = Body(request), reader(request)
        name = body.text("name", longest=LONGEST_NAME)
        given = [source for source in SOURCES if body.has(source)]
        make = _maker(body)
        body.finish()
        if len(given) != 1:
            raise _one_source()
        access.require(user, permissions.FLOW_DESIGN)

        def made() -> HttpResponse:
            draft = make(user, name, clock.now())
            address = reverse("api-design-draft", args=[draft.pk])
            return _whole(draft, user, status=201, headers={"Location": address})

        return made_once(request, "design-drafts.create", "api-design-draft", made)


class DesignDraftDetail(APIView):
    """`design-drafts/{id}/`: one draft of one's own, with everything that is wrong with it."""

    json_depth = DEPTH
    needs_version = True
    sends_etag = True

    @extend_schema(operation_id="design_drafts_read", responses=described_drafts.DesignDraft)
    def get(self, request: Request, pk: str) -> HttpResponse:
        """The draft, its problems, and how it stands to the live version."""
        unknown_parameters(request, ())
        user = reader(request)
        return _whole(access.design_draft(user, access.row_id(pk)), user)

    @extend_schema(
        operation_id="design_drafts_replace",
        request=described_drafts.DesignDraftWhole,
        responses=described_drafts.DesignDraft,
    )
    def put(self, request: Request, pk: str) -> HttpResponse:
        """Save the whole draft; it may have problems. Nothing is published by it.

        Refused in this order: 400 of the JSON, 404, 403, 428, 400, 412, 422.
        """
        return _save(request, pk, whole=True)

    @extend_schema(
        operation_id="design_drafts_update",
        request=described_drafts.DesignDraftPart,
        responses=described_drafts.DesignDraft,
    )
    def patch(self, request: Request, pk: str) -> HttpResponse:
        """Save the parts that are in the body; the others stay. Refused as a PUT."""
        return _save(request, pk, whole=False)

    @extend_schema(operation_id="design_drafts_delete", request=None, responses={204: None})
    def delete(self, request: Request, pk: str) -> HttpResponse:
        """Take the draft out of the box. Refused in this order: 404, 403, 428, 412."""
        user = reader(request)
        draft = access.design_draft(user, access.row_id(pk))
        keeping_drafts.delete(draft, if_match(request), clock.now())
        return json_answer_empty()


def _save(request: Request, pk: str, *, whole: bool) -> HttpResponse:
    body, user = Body(request), reader(request)
    draft = access.design_draft(user, access.row_id(pk))
    version = if_match(request)
    parts = _parts(body, whole=whole)
    name = body.text("name", longest=LONGEST_NAME) if body.has("name") else None
    body.finish()
    design_drafts.save_draft(draft=draft, version=version, now=clock.now(), name=name, **parts)
    return _whole(draft, user)


def _parts(body: Body, *, whole: bool) -> dict[str, Any]:
    """Document, form and view as far as they are there; a whole draft has all three."""
    parts: dict[str, Any] = {}
    if whole:
        body.take("document", required=True)
    if whole or body.has("document"):
        parts["document"] = body.mapping("document")
    if whole or body.has("form"):
        parts["form"] = body.mapping_or_null("form")
    if whole or body.has("view"):
        parts["view"] = body.mapping("view")
    # Whoever knows nothing of scenarios does not take them away.
    if body.has("scenarios"):
        parts["scenarios"] = body.list_or_null("scenarios")
    return parts


def _maker(body: Body) -> Any:
    """Read what the new draft is made of; what makes it, once the body has been judged."""
    document, form, view = (
        body.mapping("document"),
        body.mapping_or_null("form"),
        body.mapping("view"),
    )
    scenarios = body.list_or_null("scenarios")
    template = body.choice("template", design_drafts.TEMPLATES, default=design_drafts.BLANK)
    flow = body.text("flow", longest=LONGEST_KEY)
    number = body.version("flow_version") if body.has("flow_version") else None
    copied = body.text("draft", longest=LONGEST_ID)

    def make(user: User, name: str, now: datetime) -> Draft:
        if body.has("document"):
            design = Design(document, form, view, scenarios)
            return design_drafts.create(user=user, design=design, name=name, now=now)
        if flow:
            version = _version(user, flow, number)
            return design_drafts.from_version(user=user, version=version, name=name, now=now)
        if copied:
            draft = access.design_draft(user, access.row_id(copied))
            return design_drafts.duplicate(user=user, draft=draft, name=name, now=now)
        return design_drafts.from_template(user=user, template=template, name=name, now=now)

    return make


def _version(user: User, key: str, number: int | None) -> Version:
    definition = access.definition(user, key)
    if number is None:
        found = definition.current
    else:
        found = Version.objects.filter(definition=definition, number=number).first()
    if found is None:
        raise Problem(404, "not_found", _("There is no such version."))
    return found


def _one_source() -> Problem:
    text = _("Say one thing to begin with: document, template, flow or draft.")
    error = {"code": "draft.no_source", "at": "", "message": text}
    return Problem(400, "request.invalid", text, errors=[error])


def json_answer_empty() -> HttpResponse:
    """204: done, and nothing to say about it."""
    response = json_answer(None, 204)
    response.content = b""
    return response


def _row(draft: Draft, user: User, live: tuple[int, str] | None) -> dict[str, Any]:
    number, digest = live or (None, None)
    return {
        "id": str(draft.pk),
        "version": draft.version,
        "name": draft.name or "",
        "flow": draft.flow_key or "",
        "based_on": draft.based_on,
        "problem_count": draft.problems,
        "live_version": number,
        "moved": drafted.is_behind(draft, digest),
        "owner": shapes.person(user),
        "created_at": draft.created_at,
        "updated_at": draft.updated_at,
    }


def _whole(
    draft: Draft, user: User, status: int = 200, headers: dict[str, str] | None = None
) -> HttpResponse:
    design = Design.of(draft)
    live = drafted.live_version(user.tenant_id, draft.flow_key)
    value = {
        **_row(draft, user, None if live is None else (live.number, live.digest)),
        "document": design.document,
        "form": design.form,
        "view": design.view or {},
        "scenarios": design.scenarios,
        "problems": worded(design_drafts.findings_of(user.tenant_id, design)),
        "live": None if live is None else _live(live),
        "changes": None if live is None else drafted.change_counts(draft, live),
        "others": [
            {
                "owner": {"login": other.login, "name": other.name},
                "based_on": other.based_on,
                "updated_at": other.updated_at,
            }
            for other in drafted.others(draft)
        ],
    }
    return json_answer(value, status, {"ETag": etag_of(draft.version), **(headers or {})})


def _live(version: Version) -> dict[str, Any]:
    by = version.published_by
    return {
        "version": version.number,
        "digest": version.digest,
        "note": version.note,
        "published_by": None if by is None else shapes.person(by),
        "published_at": version.published_at,
    }
