"""`/directory/search`: what the people pickers of the designer ask while somebody types."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin.directory import permissions
from flowadmin.directory.models import User
from flowadmin.directory.search import KINDS, MOST_ASKED, named, search

if TYPE_CHECKING:
    from django.http import HttpRequest

# No address that a browser sends in earnest has more.
LONGEST_CODES = 20_000


@require_safe
def find(request: HttpRequest) -> JsonResponse:
    """`?kind=user&text=li` or `?kind=role&codes=a,b`: `{results: [{code, name, note}]}`.

    401 without a session, 403 without `flow.design`, 400 for a kind that there is not. Only the
    reader's own tenant is searched; at most 20 results, or 200 by code (interface.md 5.2).
    """
    user = request.user
    if not isinstance(user, User):
        return _refused(401, "auth.required", _("Sign in again to go on."))
    if not permissions.has(user, permissions.FLOW_DESIGN):
        text = _("This needs the permission %(name)s. An administrator can grant it.")
        return _refused(403, "permission.denied", text % {"name": permissions.FLOW_DESIGN})
    kind = request.GET.get("kind", "")
    if kind not in KINDS:
        text = _("The parameter “%(name)s” cannot be read.")
        return _refused(400, "query.malformed", text % {"name": "kind"})
    codes = request.GET.get("codes")
    if codes is None:
        found = search(user.tenant_id, kind, request.GET.get("text", ""))
    else:
        found = named(user.tenant_id, kind, codes[:LONGEST_CODES].split(",")[:MOST_ASKED])
    return _answer({"results": [asdict(each) for each in found]})


def _refused(status: int, code: str, detail: str) -> JsonResponse:
    return _answer({"status": status, "code": code, "detail": detail}, status)


def _answer(body: dict[str, object], status: int = 200) -> JsonResponse:
    response = JsonResponse(body, status=status)
    response.headers["Cache-Control"] = "private, no-store"
    return response
