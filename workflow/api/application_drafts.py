"""Application drafts through REST: the box, one draft, and filing what stands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.pagination import page_answer, read_page, unknown_parameters
from flowadmin.rest.preconditions import etag_of, if_match
from flowadmin.rest.problems import Problem
from workflow import access, drafted
from workflow.actions import application_drafts, keeping_drafts
from workflow.api import described, described_drafts, shapes
from workflow.api.answers import command, first_answer, json_answer, made_once, placed, reader
from workflow.api.bodies import Body
from workflow.api.decisions import number_of
from workflow.api.design_drafts import LONGEST_KEY, json_answer_empty
from workflow.models import Draft
from workflow.models.drafts import LONGEST_NAME

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

    from workflow.api.answers import Words
    from workflow.models import Version
    from workflow.runtime.execute import Outcome

LONGEST_DIGEST = 64
ROUTE = "application-drafts.submit"


class ApplicationDrafts(APIView):
    """`application-drafts/`: a person's own box, and a new draft in it."""

    may_have_key = True
    sends_etag = True

    @extend_schema(
        operation_id="application_drafts_list",
        parameters=described.PAGE,
        responses=described.page_of(described_drafts.ApplicationDraftRow),
    )
    def get(self, request: Request) -> HttpResponse:
        """One's own drafts, the one saved last first."""
        unknown_parameters(request, {"page", "page_size"})
        page, user = read_page(request), reader(request)
        rows = drafted.drafts_of(user, Draft.Kind.APPLICATION)
        found = list(rows[page.start : page.stop])
        live = drafted.live_versions(user.tenant_id, [row.flow_key or "" for row in found])
        shown = [_row(row, live.get(row.flow_key or "")) for row in found]
        return json_answer(page_answer(request, rows.count(), shown))

    @extend_schema(
        operation_id="application_drafts_create",
        request=described_drafts.ApplicationDraftNew,
        responses={201: described_drafts.ApplicationDraft},
    )
    def post(self, request: Request) -> HttpResponse:
        """Keep what was typed so far; nothing of it is judged.

        An Idempotency-Key is optional: with it the draft is made once, however often it is asked
        for. Refused in this order: 400, 404 (no such process), 409 draft.deployment_changed, 422,
        403.
        """
        body, user = Body(request), reader(request)
        flow = body.text("flow", longest=LONGEST_KEY, required=True)
        values, picked = body.mapping("values"), body.picked()
        name = body.text("name", longest=LONGEST_NAME)
        typed_into = body.text("deployment", longest=LONGEST_DIGEST)
        body.finish()
        definition = access.definition(user, flow)
        if typed_into:
            drafted.require_live(definition.current, typed_into)

        def made() -> HttpResponse:
            draft = application_drafts.create(
                user=user,
                definition=definition,
                values=values,
                picked=picked,
                name=name,
                now=clock.now(),
            )
            address = reverse("api-application-draft", args=[draft.pk])
            return _whole(draft, 201, {"Location": address})

        return made_once(request, "application-drafts.create", "api-application-draft", made)


class ApplicationDraftDetail(APIView):
    """`application-drafts/{id}/`: one draft of one's own; another's is not there."""

    needs_version = True
    sends_etag = True

    @extend_schema(
        operation_id="application_drafts_read", responses=described_drafts.ApplicationDraft
    )
    def get(self, request: Request, pk: str) -> HttpResponse:
        """What was typed, and whether it belongs to the form that is live now."""
        unknown_parameters(request, ())
        return _whole(access.application_draft(reader(request), access.row_id(pk)))

    @extend_schema(
        operation_id="application_drafts_replace",
        request=described_drafts.ApplicationDraftPart,
        responses=described_drafts.ApplicationDraft,
    )
    def put(self, request: Request, pk: str) -> HttpResponse:
        """Save values and picks; absent ones are then empty.

        Refused in this order: 400 of the JSON, 404, 428, 400, 409 (see `deployment`), 412, 422.
        """
        return _save(request, pk, whole=True)

    @extend_schema(
        operation_id="application_drafts_update",
        request=described_drafts.ApplicationDraftPart,
        responses=described_drafts.ApplicationDraft,
    )
    def patch(self, request: Request, pk: str) -> HttpResponse:
        """Save the parts that are in the body; the others stay. Refused as a PUT."""
        return _save(request, pk, whole=False)

    @extend_schema(operation_id="application_drafts_delete", request=None, responses={204: None})
    def delete(self, request: Request, pk: str) -> HttpResponse:
        """Take the draft out of the box. Refused in this order: 404, 428, 412."""
        draft = access.application_draft(reader(request), access.row_id(pk))
        keeping_drafts.delete(draft, if_match(request), clock.now())
        return json_answer_empty()


class SubmitDraft(APIView):
    """`application-drafts/{id}/actions/submit`: file the request; the draft is gone then."""

    needs_key = True
    needs_version = True

    @extend_schema(
        operation_id="application_drafts_submit",
        request=None,
        responses={201: described.InstanceRow},
    )
    def post(self, request: Request, pk: str) -> HttpResponse:
        """If-Match says which version of the draft was seen.

        Refused in this order: 400, 404, 428, 412, 409 draft.deployment_changed, and as a start.
        """
        body, user, now = Body(request), reader(request), clock.now()
        body.finish()
        try:
            draft = access.application_draft(user, access.row_id(pk))
        except Problem as refusal:
            # Whoever repeats the call whose answer was lost finds no draft any more.
            return first_answer(request, ROUTE, refusal)
        seen = if_match(request)

        def word(outcome: Outcome) -> Words:
            return 201, shapes.instance_after(outcome, number_of(outcome.version_id), user)

        with placed("values"):
            return command(
                request,
                ROUTE,
                act=lambda once: application_drafts.submit(
                    user=user, draft=draft, seen=seen, now=now, once=once
                ),
                word=word,
            )


def _save(request: Request, pk: str, *, whole: bool) -> HttpResponse:
    body, user = Body(request), reader(request)
    draft = access.application_draft(user, access.row_id(pk))
    version = if_match(request)
    values = body.mapping("values") if whole or body.has("values") else None
    picked = body.picked() if whole or body.has("picked") else None
    name = body.text("name", longest=LONGEST_NAME) if body.has("name") else None
    typed_into = body.text("deployment", longest=LONGEST_DIGEST)
    body.finish()
    onto = None
    if typed_into and typed_into != draft.deployment_id:
        onto = drafted.live_version(user.tenant_id, draft.flow_key)
        drafted.require_live(onto, typed_into)
    application_drafts.save_draft(
        draft=draft,
        version=version,
        now=clock.now(),
        values=values,
        picked=picked,
        name=name,
        onto=onto,
    )
    return _whole(draft)


def _row(draft: Draft, live: tuple[int, str] | None) -> dict[str, Any]:
    number, digest = live or (None, None)
    return {
        "id": str(draft.pk),
        "version": draft.version,
        "name": draft.name or "",
        "flow": draft.flow_key or "",
        "deployment": draft.deployment_id or "",
        "based_on": draft.based_on,
        "live_deployment": digest,
        "live_version": number,
        "restorable": digest is not None and digest == draft.deployment_id,
        "created_at": draft.created_at,
        "updated_at": draft.updated_at,
    }


def _whole(draft: Draft, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    live: Version | None = drafted.live_version(draft.tenant_id, draft.flow_key)
    value = {
        **_row(draft, None if live is None else (live.number, live.digest)),
        "values": application_drafts.values_in(draft),
        "picked": application_drafts.picks_in(draft),
    }
    return json_answer(value, status, {"ETag": etag_of(draft.version), **(headers or {})})
