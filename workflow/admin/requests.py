"""Requests, tasks, steps, work and history: read here, and steered by the product's own acts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.db.models import Prefetch
from django.http import Http404, HttpResponseNotAllowed
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models import User
from workflow import queries
from workflow.admin import acting
from workflow.admin.reading import ByProcess, ByProcessOfRequest, ReadOnly, Rows
from workflow.forms.formdoc import label_in
from workflow.models import Event, Instance, Job, Step, Task
from workflow.pages.reading import timeline_of
from workflow.published import definition_of
from workflow.reading import reading_of, titles_of
from workflow.wording.reasons import value_text
from workflow.wording.rejections import rejection_text
from workflow.wording.states import listed
from workflow.wording.timeline import Mentioned
from workflow.wording.values import named_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse, HttpResponseBase
    from django.urls import URLPattern
    from django.utils.safestring import SafeString


class Held(admin.SimpleListFilter):
    """Requests that wait for a manager; the list has an index of its own."""

    title = _("held")
    parameter_name = "held"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        del request, model_admin
        return [("yes", _("held: a manager has to act")), ("no", _("not held"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        del request
        if self.value() == "yes":
            return queryset.filter(held__isnull=False)
        return queryset.filter(held__isnull=True) if self.value() == "no" else queryset


class Acting(ReadOnly):
    """A list whose rows can be acted upon, from the list or from the row's own page."""

    change_form_template = "admin/workflow/change_form.html"
    acts: tuple[acting.Act, ...] = ()

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_act"
        view = self.admin_site.admin_view(self.act_view)
        return [path("<int:pk>/act/<slug:name>/", view, name=name), *super().get_urls()]

    def act_view(self, request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
        """The page that asks, for one row; its answer goes to the list like all others."""
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        act = next((each for each in self.acts if each.name == name), None)
        rows = self.get_queryset(request).filter(pk=pk)
        if act is None or not self.has_act_permission(request) or not rows.exists():
            raise Http404
        answer = acting.ask(self, request, rows, act)
        if answer is None:
            raise Http404
        return answer

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        row = self.get_object(request, object_id) if object_id else None
        context = dict(extra_context or {})
        if row is not None and self.has_act_permission(request):
            address = f"admin:{self.opts.app_label}_{self.opts.model_name}_act"
            context["acts"] = [
                (reverse(address, args=[row.pk, act.name]), act.offer)
                for act in self.acts
                if act.applies(row)
            ]
        return super().changeform_view(request, object_id, form_url, context)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """With the trail of the request: who decided what, when and why (interface.md 7.14)."""
        context = dict(extra_context or {})
        row = self.get_object(request, object_id)
        user = request.user
        if row is not None and isinstance(user, User) and self.has_view_permission(request):
            of_request = row if isinstance(row, Instance) else row.instance
            context["timeline"] = timeline_of(reading_of(user, of_request))
        return super().change_view(request, object_id, form_url, context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """The pages know the own tenant only: elsewhere there is no *view on site*."""
        answer = super().render_change_form(request, context, *args, **kwargs)
        obj, user = context.get("original"), request.user
        if obj is not None and isinstance(user, User) and obj.tenant_id != user.tenant_id:
            context["has_absolute_url"] = False
        return answer


class TasksOfRequest(Rows):
    """Who was asked, and what they said."""

    model = Task
    fields = (
        "step_name", "kind", "holder", "state", "created_at", "decided_at", "decided_by", "reason",
    )  # fmt: skip
    related = ("holder", "decided_by")


class StepsOfRequest(Rows):
    """Which steps it went through."""

    model = Step
    fields = ("number", "step", "kind", "round", "state", "entered_at", "ended_at")
    classes = ("collapse",)


class JobsOfRequest(Rows):
    """What workers have carried out, or still have to."""

    model = Job
    fields = ("kind", "state", "attempts", "due_at", "lease_until", "lease_owner", "details")
    classes = ("collapse",)


class EventsOfRequest(Rows):
    """The history as it is stored."""

    model = Event
    fields = ("position", "at", "kind", "actor", "payload")
    related = ("actor",)
    classes = ("collapse",)


@admin.register(Instance)
class InstanceAdmin(Acting):
    """Requests, found by number, title and person."""

    acts = (
        acting.ASSIGN_HELD, acting.RETRY, acting.PAUSE, acting.RESUME, acting.JUMP,
        acting.TERMINATE,
    )  # fmt: skip
    actions = ("assign_held", "retry", "pause", "resume", "jump", "terminate")
    # The process has a filter; as a column it would push the last one out at 1280 pixels.
    list_display = ("number", "title", "state", "now_with", "initiator", "started_at")
    list_filter = ("state", Held, ByProcess, "started_at", "tenant")
    list_select_related = ("initiator", "tenant")
    search_fields = (
        "number", "title", "initiator__login", "initiator__name",
        "tasks__holder__login", "tasks__holder__name",
    )  # fmt: skip
    search_help_text = _("Number, title, or the name or login of the initiator or a holder")
    fields = (
        "number", "title", "definition", "version", "tenant", "initiator", "state", "held_because",
        "started_at", "ended_at", "position", "form_values",
    )  # fmt: skip
    readonly_fields = ("held_because", "form_values")
    inlines = (TasksOfRequest, StepsOfRequest, JobsOfRequest, EventsOfRequest)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        open_now = Task.objects.filter(state=Task.State.OPEN).select_related("holder")
        return (
            super()
            .get_queryset(request)
            .prefetch_related(Prefetch("tasks", open_now.order_by("pk"), to_attr="open_now"))
        )

    def view_on_site(self, instance: Instance) -> str:
        return reverse("request", args=[instance.pk])

    @admin.display(description=_("now with"))
    def now_with(self, instance: Instance) -> str:
        if instance.held:
            return str(_("held"))
        waiting: Sequence[Task] = getattr(instance, "open_now", ())
        names = [str(task.holder) for task in waiting[:3]]
        return listed([*names, "…"] if len(waiting) > 3 else names) or "-"

    @admin.display(description=_("held because"))
    def held_because(self, instance: Instance) -> str:
        return rejection_text(instance.held) if instance.held else "-"

    @admin.display(description=_("form"))
    def form_values(self, instance: Instance) -> SafeString | str:
        """All values: whoever is here manages requests, and managers read everything (2.10)."""
        form = definition_of(instance.version_id).form
        values = queries.state_of(instance).values
        if form is None or not values:
            return "-"
        language = get_language() or "en"
        named = Mentioned(frozenset(), frozenset(named_in(form, values)))
        titles = titles_of(instance.tenant_id, named)
        rows = format_html_join(
            "",
            '<tr><th scope="row">{}</th><td>{}</td></tr>',
            (
                (
                    label_in(field, language),
                    value_text(field, values[field.id], language, titles),
                )
                for field in form.fields
                if field.id in values
            ),
        )
        return format_html("<table><tbody>{}</tbody></table>", rows)

    @admin.action(description=acting.RETRY.offer, permissions=["act"])
    def retry(self, request: HttpRequest, rows: QuerySet[Instance]) -> HttpResponse | None:
        return acting.ask(self, request, rows, acting.RETRY)

    @admin.action(description=acting.PAUSE.offer, permissions=["act"])
    def pause(self, request: HttpRequest, rows: QuerySet[Instance]) -> HttpResponse | None:
        return acting.ask(self, request, rows, acting.PAUSE)

    @admin.action(description=acting.RESUME.offer, permissions=["act"])
    def resume(self, request: HttpRequest, rows: QuerySet[Instance]) -> HttpResponse | None:
        return acting.ask(self, request, rows, acting.RESUME)

    @admin.action(description=acting.JUMP.offer, permissions=["act"])
    def jump(self, request: HttpRequest, rows: QuerySet[Instance]) -> HttpResponse | None:
        return acting.ask(self, request, rows, acting.JUMP)

    @admin.action(description=acting.TERMINATE.offer, permissions=["act"])
    def terminate(self, request: HttpRequest, rows: QuerySet[Instance]) -> HttpResponse | None:
        return acting.ask(self, request, rows, acting.TERMINATE)

    @admin.action(description=acting.ASSIGN_HELD.offer, permissions=["act"])
    def assign_held(self, request: HttpRequest, rows: QuerySet[Instance]) -> HttpResponse | None:
        return acting.ask(self, request, rows, acting.ASSIGN_HELD)


@admin.register(Task)
class TaskAdmin(Acting):
    """Tasks by state, holder, age and process."""

    acts = (acting.REASSIGN,)
    actions = ("reassign",)
    list_display = (
        "request_number", "request_title", "step_name", "holder", "state", "created_at",
        "decided_at",
    )  # fmt: skip
    list_filter = ("state", "kind", ByProcessOfRequest, "created_at", "tenant")
    list_select_related = ("instance", "holder", "tenant")
    search_fields = ("instance__number", "instance__title", "holder__login", "holder__name")
    search_help_text = _("Number or title of the request, name or login of the holder")
    fields = (
        "instance", "step_name", "kind", "holder", "state", "version", "created_at", "due_at",
        "decided_at", "decided_by", "reason", "tenant",
    )  # fmt: skip

    def view_on_site(self, task: Task) -> str:
        return reverse("request", args=[task.instance_id])

    @admin.display(description=_("number"), ordering="instance__number")
    def request_number(self, task: Task) -> str:
        return task.instance.number

    @admin.display(description=_("request"))
    def request_title(self, task: Task) -> SafeString:
        address = reverse("admin:workflow_instance_change", args=[task.instance_id])
        return format_html('<a href="{}">{}</a>', address, task.instance.title)

    @admin.action(description=acting.REASSIGN.offer, permissions=["act"])
    def reassign(self, request: HttpRequest, rows: QuerySet[Task]) -> HttpResponse | None:
        return acting.ask(self, request, rows, acting.REASSIGN)


class PartOfRequest(ReadOnly):
    """Rows that hang on a request and are found by it."""

    search_fields: ClassVar[Any] = ("instance__number", "instance__title")
    list_select_related: ClassVar[Any] = ("instance", "tenant")

    @admin.display(description=_("request"))
    def request_number(self, row: Any) -> str:
        return str(row.instance.number)


@admin.register(Step)
class StepAdmin(PartOfRequest):
    """Steps as they were entered."""

    list_display = ("request_number", "step", "kind", "round", "state", "entered_at", "ended_at")
    list_filter = ("state", "kind", ByProcessOfRequest, "tenant")


@admin.register(Job)
class JobAdmin(PartOfRequest):
    """Automatic steps: what waits for a worker, and what one has done."""

    list_display = ("request_number", "kind", "state", "attempts", "due_at", "lease_until")
    list_filter = ("state", "kind", "tenant")


@admin.register(Event)
class EventAdmin(PartOfRequest):
    """The history. It is never added to, changed or deleted by hand."""

    list_display = ("request_number", "position", "at", "kind", "actor")
    list_filter = ("at", "tenant")
    list_select_related = ("instance", "actor", "tenant")
    search_fields = ("instance__number", "actor__login", "actor__name")
    fields = ("instance", "position", "at", "kind", "actor", "payload", "tenant")
