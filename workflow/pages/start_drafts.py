"""The draft behind the form of a new request: saved, resumed, in conflict, or moved on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django_htmx.http import replace_url, trigger_client_event

from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import application_drafts as actions
from workflow.forms.formdoc import defaults, label_in
from workflow.models import Draft, Version
from workflow.pages.answers import go_on, is_fragment, language_of_page, sent_version
from workflow.pages.known import outside_of
from workflow.pages.typed_again import told_again, typed_again
from workflow.published import definition_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse, QueryDict

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition as Compiled
    from workflow.models import Definition

# What the buttons of the form ask for; without one it is submitted.
SAVE, SAVE_NEW, KEEP_COPY, OVERWRITE = "save", "save-new", "keep-copy", "overwrite"
SAVES = frozenset({SAVE, SAVE_NEW, KEEP_COPY, OVERWRITE})


@dataclass(frozen=True, slots=True)
class Differing:
    """One field in which two windows differ, or one of which the new form knows nothing."""

    label: str
    mine: str
    theirs: str = ""


@dataclass(frozen=True, slots=True)
class Old:
    """A draft of an earlier version: what was typed, beside the empty form of the new one."""

    rows: tuple[tuple[str, str], ...]
    vanished: tuple[str, ...]
    retyped: tuple[str, ...]
    before: int | None
    copied: bool


@dataclass(slots=True)
class Kept:
    """The draft that the page works on; ``draft`` None: nothing was saved so far.

    ``theirs`` are the fields in which another window's save differs; ``is_conflict`` says that
    there was one. ``seen`` is the version of the draft that stands in the page.
    """

    draft: Draft | None = None
    seen: int = 0
    is_conflict: bool = False
    theirs: tuple[Differing, ...] = ()
    old: Old | None = None
    gone: str = ""
    refused: str = ""


class Conflicting(Exception):
    """Another window has saved; the page is shown anew with ``kept``, and all that was typed."""

    def __init__(self, kept: Kept) -> None:
        super().__init__("draft.version_moved")
        self.kept = kept


@dataclass(frozen=True, slots=True)
class Typed:
    """What was sent with the form: as REST would have received it."""

    values: Mapping[str, object]
    picked: Mapping[str, Sequence[str]]
    version: Version


def opened(request: HttpRequest, user: User, row: Definition) -> Kept:
    """The draft that the address names. Raises Problem 404 for another's or another process's."""
    text = request.GET.get("draft", "")
    if not text:
        return Kept()
    draft = access.application_draft(user, access.row_id(text))
    if draft.flow_key != row.key:
        raise Problem(404, "not_found", _("It does not exist, or you may not know of it."))
    return Kept(draft, draft.version)


def resumed(request: HttpRequest, user: User, row: Definition, kept: Kept) -> QueryDict | None:
    """What the form is filled with: everything, or what its owner takes over by hand, or nothing.

    A draft of an earlier version is not restored by itself (seed 001, P11).
    """
    draft, live = kept.draft, row.current
    if draft is None or live is None:
        return None
    new = definition_of(live.pk)
    if new.form is None:
        return None
    values, picked = actions.values_in(draft), actions.picks_in(draft)
    outside = outside_of(user, new.form, defaults(new.form))
    if actions.is_restorable(draft, live):
        return typed_again(new.form, values, picked, outside)
    is_copy = request.GET.get("copy") == "1"
    kept.old = _old(user, row, draft, new, copied=is_copy)
    if not is_copy:
        return None
    fitting = _fitting(_form_before(row, draft), new)
    return typed_again(
        new.form, {name: values[name] for name in values if name in fitting}, {}, outside
    )


def _old(user: User, row: Definition, draft: Draft, new: Compiled, *, copied: bool) -> Old:
    values = actions.values_in(draft)
    before = _form_before(row, draft)
    if before is None or before.form is None:
        rows = [(name, str(value)) for name, value in values.items() if value]
        return Old(tuple(rows), (), (), draft.based_on, copied)
    language, form = language_of_page(), before.form
    data = typed_again(form, values, {}, outside_of(user, form, {}))
    outside = outside_of(user, form, {}, data)
    told = told_again(form, before.start_rights(), values, language, outside)
    labels = {field.id: label_in(field, language) for field in form.fields}
    types = {field.id: field.type for field in new.form.fields} if new.form else {}
    fitting = _fitting(before, new)
    return Old(
        rows=tuple((labels[name], text) for name, text in told.items()),
        vanished=tuple(labels[name] for name in told if name not in types),
        retyped=tuple(labels[name] for name in told if name in types and name not in fitting),
        before=draft.based_on,
        copied=copied,
    )


def _form_before(row: Definition, draft: Draft) -> Compiled | None:
    """The version whose form was filled in; None when this installation never had it."""
    found = Version.objects.filter(definition=row, digest=draft.deployment_id or "").first()
    return None if found is None else definition_of(found.pk)


def _fitting(before: Compiled | None, new: Compiled) -> frozenset[str]:
    """Fields that both forms have, with the same type."""
    if before is None or before.form is None or new.form is None:
        return frozenset()
    types = {field.id: field.type for field in before.form.fields}
    return frozenset(field.id for field in new.form.fields if types.get(field.id) == field.type)


def sent_draft(request: HttpRequest, user: User) -> Kept:
    """The draft that the form was sent with; ``gone`` says that it is not there any more."""
    text = request.POST.get("draft", "")
    if not text:
        return Kept()
    seen = sent_version(request, "draft_version")
    try:
        return Kept(access.application_draft(user, access.row_id(text)), seen)
    except Problem as problem:
        if problem.status != 404:
            raise
        return Kept(gone=str(problem.detail))


def save_draft(
    request: HttpRequest, user: User, row: Definition, typed: Typed, now: datetime
) -> HttpResponse:
    """Keep what was typed, on one of the ways of `SAVES`; the form itself stays as it is.

    Raises Problem 403, 409 draft.too_many and 422 as the actions, where there is no script to
    show them in place; Conflicting likewise.
    """
    kept, act = sent_draft(request, user), request.POST.get("act", SAVE)
    if act == OVERWRITE and request.POST.get("sure") == "on":
        # Whom one overwrites one has seen: the version that the conflict showed.
        kept.seen = sent_version(request, "theirs")
    theirs = kept.draft
    try:
        draft = _written(user, row, kept, typed, now, is_new=act in (SAVE_NEW, KEEP_COPY))
    except Problem as problem:
        if problem.status == 412:
            return _conflict(request, user, row, kept, typed)
        if not is_fragment(request) or problem.status not in (409, 422):
            raise
        kept.refused = str(problem.detail)
        return _state(request, row, kept, status=problem.status)
    stays = act != KEEP_COPY or theirs is None
    return _saved(request, row, typed, draft if stays or theirs is None else theirs, stays=stays)


def _written(
    user: User, row: Definition, kept: Kept, typed: Typed, now: datetime, *, is_new: bool
) -> Draft:
    if kept.draft is None or is_new:
        return actions.create(
            user=user,
            definition=row,
            values=typed.values,
            picked=typed.picked,
            now=now,
            typed_into=typed.version,
        )
    return actions.save_draft(
        draft=kept.draft,
        version=kept.seen,
        now=now,
        values=typed.values,
        picked=typed.picked,
        onto=typed.version,
    )


def _saved(
    request: HttpRequest, row: Definition, typed: Typed, draft: Draft, *, stays: bool
) -> HttpResponse:
    """Say that it is saved; the page is only left where another draft or form has to be shown."""
    address = f"{reverse('start-flow', args=[row.key])}?draft={draft.pk}"
    is_live = typed.version.pk == row.current_id
    if not (stays and is_live and is_fragment(request)):
        messages.success(request, _("The draft was saved."))
        return go_on(request, address)
    response = _state(request, row, Kept(draft, draft.version))
    words = {"message": _("The draft was saved."), "tone": "success"}
    return trigger_client_event(replace_url(response, address), "flow:toast", words)


def _conflict(
    request: HttpRequest, user: User, row: Definition, kept: Kept, typed: Typed
) -> HttpResponse:
    """Another window has saved meanwhile: who, when, in what they differ, and what to do."""
    set_conflict(user, kept, typed)
    if not is_fragment(request):
        raise Conflicting(kept)
    return _state(request, row, kept, status=412)


def set_conflict(user: User, kept: Kept, typed: Typed) -> None:
    """Read the draft again and find the fields in which the page differs from it."""
    if kept.draft is None:
        return
    kept.draft.refresh_from_db()
    kept.is_conflict = True
    compiled, language = definition_of(typed.version.pk), language_of_page()
    if compiled.form is None:
        return
    form, rights = compiled.form, compiled.start_rights()
    values = actions.values_in(kept.draft)
    told = []
    for each in (typed.values, values):
        data = typed_again(form, each, {}, outside_of(user, form, {}))
        outside = outside_of(user, form, {}, data)
        told.append(told_again(form, rights, each, language, outside))
    mine, theirs = told
    kept.theirs = tuple(
        Differing(label_in(field, language), mine.get(field.id, ""), theirs.get(field.id, ""))
        for field in form.fields
        if mine.get(field.id) != theirs.get(field.id)
    )


def _state(request: HttpRequest, row: Definition, kept: Kept, status: int = 200) -> HttpResponse:
    context = {"kept": kept, "flow": row}
    response = render(request, "workflow/drafts/_state.html", context, status=status)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request", "Cookie", "Accept-Language"])
    return response
