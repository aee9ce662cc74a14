"""The designer's page: what the script works with, and a tree to read before it has started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin.directory import permissions
from flowadmin.rest.problems import json_bytes
from flowadmin.templatetags.shell import SPRITE
from workflow import access, drafted
from workflow.actions import scenarios
from workflow.actions.design_drafts import Design
from workflow.engine.differing import counted
from workflow.models import Instance
from workflow.pages.answers import page, reader
from workflow.pages.designer_knowledge import knowledge_of
from workflow.pages.designer_texts import designer_texts, problem_texts
from workflow.pages.flow_picture import KINDS
from workflow.wording.differing import in_one_line, member_names, tell_differences

if TYPE_CHECKING:
    from django.http import HttpRequest

    from flowadmin.directory.models import User
    from workflow.models import Draft

# Stand in addresses for what only the script knows.
KEY, ID = "KEY", "ID"
# How deep a tree is drawn for reading; the designer itself shows all of it.
DEEPEST = 8
MOST_DRAWN = 300


@dataclass(frozen=True, slots=True)
class Way:
    """A branch as it is drawn before the script runs; the members of `_picture.html`."""

    name: str
    steps: tuple[Card, ...]
    when: str = ""
    mark: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A step as it is drawn before the script runs."""

    name: str
    kind: str
    ways: tuple[Way, ...]
    icon: str = "circle-dot"
    line: str = ""
    mark: str = ""
    word: str = ""


@login_required
@require_safe
def designer(request: HttpRequest, pk: int) -> HttpResponse:
    """`/design/<id>/`: one's own draft; without the permission to design, only to look at.

    Raises Problem 404 for drafts of others, and draft.deleted. Source: interface.md 7.9.
    """
    user = reader(request)
    draft = access.own_design_draft(user, access.row_id(str(pk)))
    design = Design.of(draft)
    live = drafted.live_version(user.tenant_id, draft.flow_key)
    behind = live is not None and drafted.is_behind(draft, live.digest)
    context = {
        "draft": draft,
        "title": _text(design.document.get("name")) or _("Unnamed process"),
        "cards": _cards(design.document.get("steps"), DEEPEST),
        "delivered": _delivered(user, draft, design),
        "texts": designer_texts(),
        # Only a draft that began with a version can be overtaken by another one.
        "overtaken_by": live if behind and draft.based_on else None,
        "others": drafted.others(draft),
    }
    return page(request, "workflow/design/designer.html", context)


@login_required
@require_safe
def live_version(request: HttpRequest, key: str) -> HttpResponse:
    """`/design/live/<key>/?draft=<id>`: what publishing would replace, as `{"live": … | null}`.

    ``changes`` are sentences on what the draft as it is stored differs in, so the page saves
    first; the comparison is the one of "Compare" (interface.md 7.9, 7.10). Raises Problem 403
    without the permission to design, 404 for another's draft. Of another tenant, or of nothing,
    it is null: a new process may have any key.
    """
    user = reader(request)
    access.require(user, permissions.FLOW_DESIGN)
    draft = access.design_draft(user, access.row_id(request.GET.get("draft", "")))
    live = drafted.live_version(user.tenant_id, key)
    told = None
    if live is not None:
        running = Instance.objects.filter(
            tenant_id=user.tenant_id,
            definition=live.definition_id,
            state=Instance.State.RUNNING,
        )
        found = drafted.changes(draft, live)
        kept, own = scenarios.stored_with(live), Design.of(draft).scenarios
        told = {
            "version": live.number,
            "running": running.count(),
            "summary": in_one_line(counted(found)),
            "changes": [
                {"what": each.what, "text": each.text, "details": each.details}
                for each in tell_differences(found)
            ],
            "require_green": kept is not None and kept.require_green,
            "other_scenarios": own is not None and own != (kept.scenarios if kept else []),
        }
    answer = HttpResponse(json_bytes({"live": told}), content_type="application/json")
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _delivered(user: User, draft: Draft, design: Design) -> dict[str, Any]:
    """`Delivered` in frontend/src/designer/page.ts."""
    kept = scenarios.stored_for(user.tenant_id, draft.flow_key or "")
    return {
        "id": str(draft.pk),
        "version": draft.version,
        "saved_at": draft.updated_at,
        "document": design.document,
        "form": design.form,
        "view": design.view or {},
        "scenarios": design.scenarios,
        "kept_scenarios": [] if kept is None else kept.scenarios,
        "me": {"code": user.login, "name": user.name},
        "based_on": draft.based_on,
        "may_write": permissions.has(user, permissions.FLOW_DESIGN),
        "may_publish": permissions.has(user, permissions.FLOW_PUBLISH),
        # Past requests are told of to those who may read all of them, once there may be some.
        "may_replay": permissions.has(user, permissions.FLOW_MANAGE)
        and draft.based_on is not None,
        "knowledge": knowledge_of(user, design.document, design.form),
        "problem_texts": problem_texts(),
        "member_names": member_names(),
        "addresses": {
            "draft": reverse("api-design-draft", args=[draft.pk]),
            "drafts": reverse("api-design-drafts"),
            "live": f"{reverse('designer-live', args=[KEY])}?draft={draft.pk}",
            "publish": reverse("api-flow-publish", args=[KEY]),
            "validate": reverse("api-flows-validate"),
            "preview": reverse("api-design-draft-preview", args=[draft.pk]),
            "record": reverse("api-design-draft-record", args=[draft.pk]),
            "what_if": reverse("api-design-draft-what-if", args=[draft.pk]),
            "start": reverse("start-flow", args=[KEY]),
            "process": _address("process", KEY),
            "box": _address("design-drafts") or reverse("home"),
            "designer": reverse("designer", args=[0]).replace("0", ID),
            "icons": static(SPRITE),
        },
    }


def _address(name: str, *args: str) -> str | None:
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return None


def _cards(raw: object, depth: int) -> tuple[Card, ...]:
    """The steps of a stored document, however wrong it is; what is no step is left out."""
    if not isinstance(raw, list) or depth == 0:
        return ()
    return tuple(_card(step, depth) for step in raw[:MOST_DRAWN] if isinstance(step, dict))


def _card(step: dict[str, Any], depth: int) -> Card:
    kind = str(KINDS.get(_text(step.get("kind")), ""))
    branches = step.get("branches")
    ways = tuple(
        Way(_text(branch.get("name")), _cards(branch.get("steps"), depth - 1))
        for branch in (branches if isinstance(branches, list) else [])
        if isinstance(branch, dict)
    )
    return Card(_text(step.get("name")) or kind, kind, ways)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
