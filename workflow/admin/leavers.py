"""Handing over everything that waits for a person, from the list of people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from flowadmin import clock
from flowadmin.directory.admin.people import UserAdmin
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem
from workflow.access import LARGEST_ID
from workflow.actions import administration
from workflow.admin.acting import Act, PersonForm, told
from workflow.admin.reading import may_manage, page_of

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

# Refusals that are told one by one; there is a command for more.
MOST_TOLD = 20

HAND_OVER = Act(
    name="hand_over",
    offer=gettext_lazy("Hand over all waiting tasks…"),
    title=gettext_lazy("Hand over everything that waits"),
    button=gettext_lazy("Hand over to this person"),
    done="",
    form=PersonForm,
    carry_out=lambda row, answers, user, now: list(
        administration.hand_over(
            leaver=row, to=answers["to"], user=user, reason=answers["reason"], now=now
        )
    ),
    applies=lambda _row: True,
)

admin.site.unregister(User)


@admin.register(User)
class LeaverAdmin(UserAdmin):
    """People as the directory shows them, with the one act that concerns their tasks."""

    actions = ("hand_over",)

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whoever manages requests; whoever only manages people is not offered it."""
        return may_manage(request)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Django takes the ids of a POST as they come; what is no number would be a 500."""
        for text in request.POST.getlist(ACTION_CHECKBOX_NAME):
            if not (text.isascii() and text.isdecimal() and int(text[:20]) <= LARGEST_ID):
                raise BadRequest("An id is a number.")
        return super().response_action(request, queryset, *args, **kwargs)

    @admin.action(description=HAND_OVER.offer, permissions=["act"])
    def hand_over(self, request: HttpRequest, rows: QuerySet[User]) -> HttpResponse | None:
        """Ask to whom and why; or, when it was answered, hand over and tell what became of it."""
        chosen = list(rows[:2])
        if len(chosen) != 1:
            self.message_user(request, _("Choose one person."), messages.ERROR)
            return None
        [leaver] = chosen
        confirmed = "confirmed" in request.POST
        form = HAND_OVER.form(chosen, request.POST if confirmed else None)
        if confirmed and form.is_valid():
            self._hand_over(request, leaver, form.cleaned_data)
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": HAND_OVER.title,
            "opts": self.opts,
            "act": HAND_OVER,
            "form": form,
            "rows": chosen,
            "row_page": page_of(leaver),
            "list_page": request.path,
            "action_checkbox_name": ACTION_CHECKBOX_NAME,
            "waiting": administration.waiting_tasks(leaver)[:MOST_TOLD],
        }
        return TemplateResponse(request, "admin/workflow/confirm.html", context)

    def _hand_over(self, request: HttpRequest, leaver: User, answers: dict[str, Any]) -> None:
        user = request.user
        if not isinstance(user, User):
            return
        try:
            results = HAND_OVER.carry_out(leaver, answers, user, clock.now())
        except Problem as problem:
            self.message_user(request, f"{leaver}: {told(problem)}", messages.ERROR)
            return
        found = results if isinstance(results, list) else []
        left = [each for each in found if not each.ok]
        for each in left[:MOST_TOLD]:
            self.message_user(
                request, f"{each.number} {each.title}: {each.message}", messages.ERROR
            )
        count = len(found) - len(left)
        text = ngettext(
            "%(count)d task was handed over to %(to)s.",
            "%(count)d tasks were handed over to %(to)s.",
            count,
        ) % {"count": count, "to": answers["to"]}
        if count:
            self.log_change(request, leaver, f"{text} {answers['reason']}")
        self.message_user(request, text, messages.SUCCESS if count else messages.WARNING)
