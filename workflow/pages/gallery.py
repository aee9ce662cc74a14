"""The gallery of templates: what a new process can begin as, each with a look at it before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin.directory import permissions
from flowadmin.directory.models import Post
from flowadmin.rest.problems import not_found
from workflow import access
from workflow.engine.decision import Definition
from workflow.engine.parsing import decode
from workflow.engine.plan import compile_plan
from workflow.forms.formdoc import label_in
from workflow.forms.reading import decode_form
from workflow.pages.answers import language_of_page, new_key, page, reader
from workflow.pages.flow_picture import picture
from workflow.process_templates.documents import NAMES, Template, document_in, template_in

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def entries() -> list[Template]:
    """The templates in the language of the page; the empty process is not among them."""
    language = language_of_page()
    return [template_in(name, language) for name in NAMES]


@login_required
@require_safe
def templates(request: HttpRequest) -> HttpResponse:
    """`/process-templates/`: begin a process, empty or from a template (interface.md 7.9).

    Raises Problem 403 without the permission to design.
    """
    user = reader(request)
    access.require(user, permissions.FLOW_DESIGN)
    context = {"gallery": entries(), "key": new_key()}
    return page(request, "workflow/processes/gallery.html", context)


@login_required
@require_safe
def template(request: HttpRequest, name: str) -> HttpResponse:
    """`/process-templates/<name>/`: its steps, its form, and which posts it asks for.

    Nothing is stored. Raises Problem 403 without the permission to design, 404.
    """
    user = reader(request)
    access.require(user, permissions.FLOW_DESIGN)
    if name not in NAMES:
        raise not_found()
    language = language_of_page()
    found = template_in(name, language)
    definition = _compiled(name, language)
    form = definition.form
    have = _posts_of(user.tenant_id, found)
    context = {
        "template": found,
        "cards": picture(definition, user.tenant_id, others=_titles(found)),
        "fields": [] if form is None else [label_in(each, language) for each in form.fields],
        "missing": [title for code, title in found.posts.items() if code not in have],
        "key": new_key(),
    }
    return page(request, "workflow/processes/template.html", context)


def _titles(found: Template) -> dict[tuple[str, str], str]:
    """What the posts are called where the organisation has none of that code."""
    return {
        ("post", code): _("%(post)s (to be chosen)") % {"post": title}
        for code, title in found.posts.items()
    }


def _posts_of(tenant_id: int, found: Template) -> frozenset[str]:
    rows = Post.objects.filter(tenant_id=tenant_id, code__in=list(found.posts))
    return frozenset(rows.values_list("code", flat=True))


def _compiled(name: str, language: str) -> Definition:
    document, form = document_in(name, language)
    decoded, read = decode(document), decode_form(form)[0]
    if decoded.doc is None or read is None:
        message = f"The template {name} cannot be read."
        raise ValueError(message)
    return Definition(plan=compile_plan(decoded.doc), form=read)
