"""Filing a request: the catalogue of processes, and the form of one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from flowadmin import clock
from flowadmin.rest.idempotency import recall, receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions.requests import start_request
from workflow.engine.plan import START
from workflow.engine.state import State
from workflow.forms.findings import Finding
from workflow.forms.formdoc import RENDERED, defaults, label_in
from workflow.models import Definition
from workflow.pages.answers import (
    go_on,
    language_of_page,
    new_key,
    page,
    reader,
    sent_version,
)
from workflow.pages.forms import ValuesForm, read_rows
from workflow.pages.known import outside_of
from workflow.pages.picking import PicksForm, picks_form
from workflow.published import definition_of
from workflow.runtime.execute import Once
from workflow.runtime.starters import may_start
from workflow.wording.rejections import rejection_text
from workflow.wording.states import listed

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse, QueryDict

    from flowadmin.directory.models import User
    from flowadmin.rest.idempotency import Stored
    from workflow.engine.decision import Definition as Compiled
    from workflow.runtime.execute import Outcome, Settled

LONGEST_SEARCH = 100
MOST_ASKED = 4


@dataclass(frozen=True, slots=True)
class Tile:
    """A process in the catalogue; ``asks`` names the first fields of its form."""

    key: str
    name: str
    asks: str
    icon: str
    is_open: bool


@login_required
@require_safe
def catalogue(request: HttpRequest) -> HttpResponse:
    """`/start/?q=`: the processes that this person may start."""
    user = reader(request)
    search = request.GET.get("q", "")[:LONGEST_SEARCH].strip()
    tiles = _tiles(user, timezone.now())
    found = [tile for tile in tiles if search.casefold() in tile.name.casefold()]
    context = {"tiles": found, "search": search, "any": bool(tiles)}
    return page(request, "workflow/catalogue.html", context)


def _tiles(user: User, now: datetime) -> list[Tile]:
    rows = Definition.objects.filter(tenant_id=user.tenant_id, current__isnull=False)
    tiles = []
    for row in rows.order_by("name", "key"):
        compiled = definition_of(_current(row))
        if may_start(compiled, user, now):
            is_open = row.state == Definition.State.ACTIVE
            tiles.append(Tile(row.key, row.name, _asks(compiled), _icon(compiled), is_open))
    return tiles


def _current(row: Definition) -> int:
    if row.current_id is None:
        message = "A process of the catalogue has a current version."
        raise ValueError(message)
    return row.current_id


def _asks(compiled: Compiled) -> str:
    """What one has to fill in: the labels of the first fields that the initiator may edit."""
    if compiled.form is None:
        return ""
    rights = compiled.start_rights()
    labels = [
        label_in(field, language_of_page())
        for field in compiled.form.fields
        if rights.get(field.id) in ("edit", "must") and field.type in RENDERED
    ]
    more = ["…"] if len(labels) > MOST_ASKED else []
    return listed([*labels[:MOST_ASKED], *more])


def _icon(compiled: Compiled) -> str:
    """A picture by what the form is about: money, days, or just text."""
    types = {field.type for field in compiled.form.fields} if compiled.form else set()
    if "amount" in types:
        return "receipt"
    return "calendar-event" if "date" in types else "file-text"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def start_flow(request: HttpRequest, key: str) -> HttpResponse:
    """`/start/<key>/`: the form; sent, it leads to the request's own page.

    Raises Problem 404 for an unknown process, 403 when this person may not start it, 409 when it
    accepts no requests.
    """
    user = reader(request)
    row = access.definition(user, key)
    if not may_start(definition_of(_current(row)), user, timezone.now()):
        raise Problem(403, "start.not_allowed", rejection_text("start.not_allowed"))
    if request.method == "POST":
        return _file(request, user, row)
    if row.state != Definition.State.ACTIVE:
        raise Problem(409, "flow.suspended", rejection_text("flow.suspended"))
    form = _form(row, user)
    return _form_page(request, row, _Typed(form, _picks(row, user, form)))


@dataclass(frozen=True, slots=True)
class _Typed:
    """What stands in the two forms of the page."""

    form: ValuesForm | None
    picks: PicksForm | None


def _form(row: Definition, user: User, data: QueryDict | None = None) -> ValuesForm | None:
    compiled = definition_of(_current(row))
    if compiled.form is None:
        return None
    values = defaults(compiled.form)
    return ValuesForm(
        compiled.form,
        compiled.start_rights(),
        values,
        language=language_of_page(),
        data=data,
        outside=outside_of(user, compiled.form, values, data),
    )


def _picks(
    row: Definition, user: User, form: ValuesForm | None, data: QueryDict | None = None
) -> PicksForm | None:
    """Whom the initiator picks; on what was typed it may depend who can be picked."""
    compiled = definition_of(_current(row))
    values = {} if form is None else form.outcome.values
    state = State(
        initiator=user.pk,
        values={name: value for name, value in values.items() if value is not None},
    )
    return picks_form(compiled, state, START, user, timezone.now(), data)


def _file(request: HttpRequest, user: User, row: Definition) -> HttpResponse:
    now = clock.now()
    seen = sent_version(request, "version")
    receipt = receipt_of_form(request, "pages.start")
    form = _form(row, user, request.POST)
    if form is not None:
        form.is_valid()
        # The action says what is wrong, so that page and REST never differ.
        form.errors.clear()
    typed = _Typed(form, _picks(row, user, form, request.POST))
    if row.current is not None and row.current.number != seen:
        stored = recall(receipt, now)
        if stored is not None:
            return _to_request(request, _filed_before(stored))
        return _form_page(request, row, typed, status=409, is_newer=True)
    if typed.picks is not None and typed.picks.errors:
        return _form_page(request, row, typed, status=422)
    try:
        settled = start_request(
            user=user,
            flow=row.key,
            values={} if form is None else form.submitted,
            now=now,
            picked={} if typed.picks is None else access.picked_people(user, typed.picks.picked),
            once=Once(receipt, _answer),
        )
    except Problem as problem:
        if problem.status not in (409, 422):
            raise
        return _refused(request, row, typed, problem)
    return _to_request(request, _filed(settled))


def _answer(outcome: Outcome) -> tuple[int, dict[str, str]]:
    return 201, {"instance": str(outcome.instance_id), "number": outcome.number}


def _to_request(request: HttpRequest, instance: str) -> HttpResponse:
    return go_on(request, reverse("request", args=[instance]))


def _filed(settled: Settled) -> str:
    """The request that was filed: by this click, or by the first one with the same key."""
    if settled.outcome is not None:
        return str(settled.outcome.instance_id)
    return _filed_before(settled.stored)


def _filed_before(stored: Stored | None) -> str:
    return "" if stored is None else str(json.loads(stored.body)["instance"])


def _refused(
    request: HttpRequest, row: Definition, typed: _Typed, problem: Problem
) -> HttpResponse:
    """The form again, with what is wrong beside each field and everything that was typed."""
    findings = [
        Finding(each["code"], each["at"], each["step"], each["level"], each["args"])
        for each in problem.errors or ()
    ]
    of_picks = [each for each in findings if each.at.startswith("/picked/")]
    if typed.picks is not None:
        typed.picks.add_findings(of_picks)
        findings = [each for each in findings if each not in of_picks]
    if typed.form is not None and findings:
        typed.form.add_findings(findings)
        findings = []
    refused = str(problem.detail) if findings or not problem.errors else ""
    return _form_page(request, row, typed, status=problem.status, refused=refused)


def _form_page(
    request: HttpRequest,
    row: Definition,
    typed: _Typed,
    *,
    status: int = 200,
    is_newer: bool = False,
    refused: str = "",
) -> HttpResponse:
    compiled = definition_of(_current(row))
    rows: list[tuple[str, str]] = []
    if compiled.form is not None:
        rights = compiled.start_rights()
        values = defaults(compiled.form)
        outside = outside_of(reader(request), compiled.form, values)
        rows = read_rows(compiled.form, rights, values, language_of_page(), outside)
    context = {
        "flow": row,
        "version": row.current.number if row.current else 0,
        "form": typed.form,
        "picks": typed.picks,
        "rows": [(label, text) for label, text in rows if text.strip("—")],
        "key": new_key(),
        "is_newer": is_newer,
        "refused": refused,
        "icon_name": _icon(compiled),
    }
    return page(request, "workflow/start.html", context, status=status)
