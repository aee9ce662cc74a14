"""The processes of a tenant for people who draw, publish or manage them: the list, and one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin import clock
from flowadmin.directory import permissions
from workflow import access, catalogue, drafted, figures
from workflow.engine.differing import counted
from workflow.engine.flowdoc.steps import SubflowStep
from workflow.models import Definition, Draft, Instance, Version
from workflow.models.definitions import LONGEST_CATEGORY
from workflow.pages import charts
from workflow.pages.answers import language_of_page, new_key, one_of, page, reader
from workflow.pages.flow_picture import picture
from workflow.published import definition_of
from workflow.reading import titles_of
from workflow.wording.differing import in_one_line
from workflow.wording.planned import Planned, named_in_process
from workflow.wording.timeline import Mentioned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User

TABS = ("versions", "picture", "figures")


@dataclass(frozen=True, slots=True)
class Row:
    """A process in the list."""

    flow: Definition
    starters: str
    running: int


@dataclass(frozen=True, slots=True)
class Group:
    """A category with its processes, in their order."""

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """A dialog before an act on a process; members as `components/confirm_dialog.html` asks."""

    id: str
    icon: str
    title: str
    text: str
    action: str
    fields: Mapping[str, str]
    reason: str = "required"
    tone: str = ""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A published version in the list of a process; ``change`` is against the one before."""

    version: Version
    is_current: bool
    running: int
    change: str
    before: int | None
    again: Asking | None
    draft_key: str


@login_required
@require_safe
def processes(request: HttpRequest) -> HttpResponse:
    """`/processes/`: every process of the tenant, by category. Raises Problem 403."""
    user = reader(request)
    access.require_any(user, *access.OF_FLOWS)
    return process_list(request, user)


def process_list(request: HttpRequest, user: User) -> HttpResponse:
    """The list as it is now; also the answer to whoever moved a process in it."""
    groups = _groups(user.tenant_id)
    context = {
        "groups": groups,
        "has_categories": any(group.name for group in groups),
        "key": new_key(),
        **_may(user),
    }
    return page(request, "workflow/processes/list.html", context)


def _groups(tenant_id: int) -> list[Group]:
    running = _running(tenant_id)
    return [
        Group(
            name,
            tuple(Row(flow, starters_of(flow), running.get(flow.pk, 0)) for flow in flows),
        )
        for name, flows in catalogue.by_category(catalogue.published_in_order(tenant_id))
    ]


def _running(tenant_id: int) -> dict[int, int]:
    """How many requests run, by process."""
    rows = Instance.objects.filter(tenant_id=tenant_id, state=Instance.State.RUNNING)
    return dict(rows.values_list("definition").annotate(n=Count("pk")).order_by())


def _running_by_number(flow: Definition) -> dict[int, int]:
    """How many requests of a process run, by the number of their version.

    A request whose future was edited goes by a version of its own, which bears the number of the
    one that it came from; it is counted there (approvals.md 5, idea 13).
    """
    rows = Instance.objects.filter(
        tenant_id=flow.tenant_id, definition=flow, state=Instance.State.RUNNING
    )
    return dict(rows.values_list("version__number").annotate(n=Count("pk")).order_by())


def starters_of(flow: Definition) -> str:
    """Who may start a process, in words."""
    if flow.current_id is None:
        return ""
    definition = definition_of(flow.current_id)
    who = definition.plan.doc.start.who
    if who is None:
        return _("everybody")
    mentioned = Mentioned(frozenset(), named_in_process(definition))
    titles = titles_of(flow.tenant_id, mentioned)
    return Planned(definition, titles, language_of_page()).people(who)


@login_required
@require_safe
def process(request: HttpRequest, key: str) -> HttpResponse:
    """`/processes/<key>/?tab=versions|picture|figures`. Raises Problem 403, 404, 400."""
    user = reader(request)
    access.require_any(user, *access.OF_FLOWS)
    flow = access.definition(user, key)
    tab = one_of(request, "tab", TABS, "versions")
    return page(request, "workflow/processes/process.html", process_context(user, flow, tab))


def process_context(user: User, flow: Definition, tab: str = "versions") -> dict[str, object]:
    """What the page of a process shows; also when an act on it was refused."""
    now = clock.now()
    context: dict[str, object] = {
        "flow": flow,
        "tab": tab,
        "key": new_key(),
        "starters": starters_of(flow),
        "categories": catalogue.categories_of(user.tenant_id),
        "longest_category": LONGEST_CATEGORY,
        "used_by": list(_callers(user, flow)),
        "asked": _asked(user, flow),
        "draft_of_mine": drafted.drafts_of(user, Draft.Kind.DESIGN)
        .filter(flow_key=flow.key)
        .first(),
        **_may(user),
    }
    if tab == "versions":
        rows = _version_rows(flow)
        context |= {"rows": rows, "running": sum(row.running for row in rows)}
    elif flow.current_id is not None and tab == "picture":
        context["cards"] = picture(definition_of(flow.current_id), user.tenant_id)
    elif flow.current_id is not None:
        context |= _figures(flow, now)
    return context


def _asked(user: User, flow: Definition) -> list[Asking]:
    """What may be done with the process as a whole, as far as it makes sense now."""
    if not permissions.has(user, permissions.FLOW_PUBLISH):
        return []
    if flow.state == Definition.State.SUSPENDED:
        text = _("People can file requests again.")
        return [_ask(flow, "resume", "player-play", _("Accept requests again"), text)]
    text = _("Nobody can file a new request. Requests that run go on.")
    found = [_ask(flow, "suspend", "player-pause", _("Accept no new requests"), text)]
    if flow.versions.count() > 1:
        text = _("New requests begin with the version that was current before this one.")
        found.append(_ask(flow, "undo", "arrow-back-up", _("Undo the last publication"), text))
    return found


def _again(flow: Definition, version: Version) -> Asking | None:
    if version.pk == flow.current_id:
        return None
    title = _("Publish version %(n)d again") % {"n": version.number}
    text = _("New requests begin with this version. Requests that run stay on theirs.")
    fields = {"version": str(version.number)}
    return _ask(flow, "publish", "refresh", title, text, **fields)


def _ask(flow: Definition, verb: str, icon: str, title: str, text: str, **fields: str) -> Asking:
    address = reverse("process-act", args=[flow.key, verb])
    given = {"idempotency_key": new_key(), **fields}
    name = "-".join([verb, *fields.values()])
    return Asking(f"ask-{name}", icon, title, text, address, given)


def _may(user: User) -> dict[str, bool]:
    return {
        "may_design": permissions.has(user, permissions.FLOW_DESIGN),
        "may_publish": permissions.has(user, permissions.FLOW_PUBLISH),
        "may_manage": permissions.has(user, permissions.FLOW_MANAGE),
    }


def _version_rows(flow: Definition) -> list[VersionRow]:
    versions = list(
        Version.objects.filter(definition=flow).select_related("published_by").order_by("-number")
    )
    running = _running_by_number(flow)
    before = [*versions[1:], None]
    return [
        VersionRow(
            version=version,
            is_current=version.pk == flow.current_id,
            running=running.get(version.number, 0),
            change=_change(older, version),
            before=None if older is None else older.number,
            again=_again(flow, version),
            draft_key=new_key(),
        )
        for version, older in zip(versions, before, strict=True)
    ]


def _change(older: Version | None, newer: Version) -> str:
    if older is None:
        return ""
    return in_one_line(counted(drafted.between(older, newer)))


def _callers(user: User, flow: Definition) -> Iterable[Definition]:
    """The processes whose live version runs this one as a subprocess."""
    rows = Definition.objects.filter(
        Q(current__document__contains=f'"{flow.key}"'), tenant_id=user.tenant_id
    ).order_by("name")
    for row in rows:
        # The text only narrows the search down; what a document says its steps say.
        if row.current_id is not None and _calls(row.current_id, flow.key):
            yield row


def _calls(version_id: int, key: str) -> bool:
    steps = definition_of(version_id).plan.steps.values()
    return any(isinstance(each.step, SubflowStep) and each.step.flow == key for each in steps)


def _figures(flow: Definition, now: datetime) -> dict[str, object]:
    found = figures.newest(flow)
    definition = definition_of(flow.current_id or 0)
    return {
        "counted": len(found),
        "most_counted": figures.NEWEST,
        "charts": (
            charts.of_steps(definition, figures.step_times(found)),
            charts.of_ages(figures.open_by_age(found, now)),
            charts.of_waiting(definition, figures.open_tasks_by_step(found)),
            charts.of_days(figures.ended_per_day(found, now, timezone.get_current_timezone())),
        ),
    }
