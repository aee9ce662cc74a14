"""Filing a request: the form of a process, and what becomes of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flowadmin import clock
from flowadmin.rest.idempotency import recall, receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import application_drafts
from workflow.actions.requests import start_request
from workflow.engine.plan import START
from workflow.engine.state import State
from workflow.forms.findings import Finding
from workflow.forms.formdoc import defaults
from workflow.models import Definition, Version
from workflow.pages import start_drafts
from workflow.pages.answers import (
    go_on,
    language_of_page,
    new_key,
    page,
    reader,
    sent_version,
)
from workflow.pages.catalogue import icon_of
from workflow.pages.copying import copied
from workflow.pages.forms import ValuesForm, read_rows
from workflow.pages.known import outside_of
from workflow.pages.picking import PicksForm, picks_form
from workflow.pages.start_drafts import Kept
from workflow.published import definition_of
from workflow.runtime.execute import Once, Settled
from workflow.runtime.starters import may_start
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse, QueryDict

    from flowadmin.directory.models import User
    from flowadmin.rest.idempotency import Stored
    from workflow.engine.decision import Definition as Compiled
    from workflow.runtime.execute import Outcome


def _current(row: Definition) -> int:
    if row.current_id is None:
        message = "A process of the catalogue has a current version."
        raise ValueError(message)
    return row.current_id


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
        if request.POST.get("act") in start_drafts.SAVES:
            return _save(request, user, row)
        return _file(request, user, row)
    kept = start_drafts.opened(request, user, row)
    if row.state != Definition.State.ACTIVE:
        raise Problem(409, "flow.suspended", rejection_text("flow.suspended"))
    data = start_drafts.resumed(request, user, row, kept) or copied(request, user, row)
    return _form_page(request, row, _read(definition_of(_current(row)), user, data, kept))


@dataclass(slots=True)
class _Typed:
    """What stands in the two forms of the page, and the draft that they belong to."""

    form: ValuesForm | None
    picks: PicksForm | None
    kept: Kept = field(default_factory=Kept)

    @property
    def values(self) -> dict[str, object]:
        return {} if self.form is None else self.form.submitted

    @property
    def picked(self) -> dict[str, tuple[str, ...]]:
        return {} if self.picks is None else self.picks.picked


def _read(compiled: Compiled, user: User, data: QueryDict | None, kept: Kept) -> _Typed:
    """The forms of a version with what was sent or kept; nothing of it is judged.

    The action says what is wrong, so that page and REST never differ.
    """
    form = _form(compiled, user, data)
    if form is not None and data is not None:
        form.is_valid()
        form.errors.clear()
    return _Typed(form, _picks(compiled, user, form, data), kept)


def _form(compiled: Compiled, user: User, data: QueryDict | None) -> ValuesForm | None:
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
    compiled: Compiled, user: User, form: ValuesForm | None, data: QueryDict | None
) -> PicksForm | None:
    """Whom the initiator picks; on what was typed it may depend who can be picked."""
    values = {} if form is None else form.outcome.values
    state = State(
        initiator=user.pk,
        values={name: value for name, value in values.items() if value is not None},
    )
    return picks_form(compiled, state, START, user, timezone.now(), data)


def _save(request: HttpRequest, user: User, row: Definition) -> HttpResponse:
    """Keep what was typed as a draft of the version whose form it was typed into."""
    number = sent_version(request, "version")
    version = Version.objects.filter(definition=row, number=number).first()
    if version is None:
        raise Problem(404, "not_found", _("There is no such version."))
    typed = _read(definition_of(version.pk), user, request.POST, Kept())
    sent = start_drafts.Typed(typed.values, typed.picked, version)
    try:
        return start_drafts.save_draft(request, user, row, sent, clock.now())
    except start_drafts.Conflicting as conflicting:
        typed.kept = conflicting.kept
        return _form_page(request, row, typed, status=412)


def _file(request: HttpRequest, user: User, row: Definition) -> HttpResponse:
    now = clock.now()
    seen = sent_version(request, "version")
    receipt = receipt_of_form(request, "pages.start")
    typed = _read(definition_of(_current(row)), user, request.POST, Kept())
    if row.current is not None and row.current.number != seen:
        stored = recall(receipt, now)
        if stored is not None:
            return _to_request(request, _filed_before(stored))
        typed.kept = start_drafts.sent_draft(request, user)
        return _form_page(request, row, typed, status=409, is_newer=True)
    if typed.picks is not None and typed.picks.errors:
        typed.kept = start_drafts.sent_draft(request, user)
        return _form_page(request, row, typed, status=422)
    try:
        settled = _settled(request, user, row, typed, Once(receipt, _answer), now)
    except Problem as problem:
        if problem.status not in (409, 412, 422):
            raise
        return _refused(request, row, typed, problem)
    if settled is None:
        return _form_page(request, row, typed, status=409)
    return _to_request(request, _filed(settled))


def _settled(
    request: HttpRequest, user: User, row: Definition, typed: _Typed, once: Once, now: datetime
) -> Settled | None:
    """File the request, and with it remove the draft; None when the draft is not there any more.

    Then this very click was carried out before, or another window has filed or deleted it: the
    person is told, and files once more if that is what he wants.
    """
    typed.kept = kept = start_drafts.sent_draft(request, user)
    if kept.gone:
        stored = recall(once.receipt, now)
        return None if stored is None else Settled(stored=stored)
    if kept.draft is None:
        return start_request(
            user=user,
            flow=row.key,
            values=typed.values,
            now=now,
            picked=access.picked_people(user, typed.picked),
            once=once,
        )
    return application_drafts.submit(
        user=user,
        draft=kept.draft,
        seen=kept.seen,
        now=now,
        once=once,
        values=typed.values,
        picked=typed.picked,
        typed_into=row.current,
    )


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
    if problem.status == 412 and row.current is not None:
        sent = start_drafts.Typed(typed.values, typed.picked, row.current)
        start_drafts.set_conflict(reader(request), typed.kept, sent)
        return _form_page(request, row, typed, status=412)
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
        "kept": typed.kept,
        "may_keep": compiled.form is not None,
        "is_newer": is_newer,
        "refused": refused,
        "icon_name": icon_of(compiled),
    }
    return page(request, "workflow/start.html", context, status=status)
