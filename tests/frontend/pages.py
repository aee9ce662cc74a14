"""Pages that only the front-end tests serve: the real frame and parts, no database."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles.views import serve
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.template import Engine, RequestContext
from django.urls import path

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HEAD = "{% extends 'base.html' %}{% load i18n shell parts %}{% block title %}A page{% endblock %}"
LIST = (
    HEAD
    + """
{% block nav_active %}inbox{% endblock %}
{% block page_header %}
{% include "components/page_header.html" with title="Inbox" state="running" %}{% endblock %}
{% block content %}
<input class="form-control" aria-label="Search" data-search>
<div class="card"><table class="data-list"><caption class="visually-hidden">Open tasks</caption>
<thead><tr><th scope="col">Request</th><th scope="col">From</th><th scope="col">Due</th></tr>
</thead>
<tbody data-list-nav>{% for row in rows %}<tr>
<th scope="row"><a class="row-title" data-list-item
 href="/form/?row={{ row.id }}">{{ row.title }}</a></th>
<td>{% person_chip row.who %}</td><td>{% due_chip row.due now %}
{% include "components/time.html" with at=row.at %}</td></tr>{% endfor %}</tbody></table>
{% pager 2 20 132 %}</div>
<div id="out"></div>
{% for code in codes %}<button class="btn btn-plain" id="ask-{{ code }}" type="button"
 hx-get="/answer/{{ code }}/" hx-target="#out" hx-swap="innerHTML">{{ code }}</button>{% endfor %}
<button class="btn btn-plain" id="post" type="button" hx-post="/echo/" hx-target="#out"
 hx-swap="innerHTML">post</button>
<span id="ticks" hx-get="/answer/200/" hx-trigger="flow:tick from:body" hx-target="#out"></span>
<button class="btn btn-primary" id="ask" type="button" data-open-dialog="sure">Delete</button>
{% endblock %}
{% block dialogs %}{% with id="sure" action="/echo/" reason="required" tone="danger" %}
{% include "components/confirm_dialog.html" with title="Delete it" confirm_label="Delete" %}
{% endwith %}{% endblock %}
"""
)
FORM = (
    HEAD
    + """
{% block page_header %}{% include "components/page_header.html" with title="Leave" back_url="/" %}
{% endblock %}
{% block content %}<form method="post" novalidate data-guard data-recover="leave-v1">
{% csrf_token %}
{% include "components/recovery_offer.html" %}{{ form }}
<button class="btn btn-primary" name="do" value="submit">Submit</button></form>{% endblock %}
"""
)
STORY = (
    HEAD
    + """
{% block page_header %}{% include "components/page_header.html" with title="Leave" %}{% endblock %}
{% block content %}{% include "components/timeline.html" %}
{% include "components/empty.html" with title="Nothing here" text="Not yet." %}{% endblock %}
"""
)
SIGN_IN = """{% extends 'plain.html' %}{% block title %}Sign in{% endblock %}
{% block content %}<h1>Sign in</h1><form method="post" action="/echo/">{% csrf_token %}
<label for="name">Name</label><input id="name" name="username" autocomplete="username">
<label for="pass">Password</label>
<input id="pass" name="password" type="password" autocomplete="current-password">
<button type="button" data-toggle-password aria-controls="pass" aria-pressed="false">Show</button>
<button type="button" data-fill-login="ann">Ann</button></form>{% endblock %}
"""
posted: list[str] = []


class Leave(forms.Form):
    """One field of each kind that the templates lay out."""

    kind = forms.ChoiceField(label="Kind", choices=[("", "---"), ("annual", "Annual leave")])
    days = forms.IntegerField(label="Days", help_text="Without <b>weekends</b>.")
    reason = forms.CharField(label="Reason", widget=forms.Textarea, required=False)
    half = forms.BooleanField(label="Half a day", required=False)
    when = forms.ChoiceField(
        label="When", choices=[("am", "Morning"), ("pm", "Afternoon")], widget=forms.RadioSelect
    )


def _answer(request, source, status=200, **context):
    template = Engine.get_default().from_string(source)
    return HttpResponse(template.render(RequestContext(request, context)), status=status)


def somebody(get_response):
    """Middleware: signed in as somebody without a row; nobody with the parameter `anonymous`."""
    person = SimpleNamespace(
        pk=7,
        name="Bao Chen",
        is_authenticated=True,
        is_staff=True,
        tenant_id=1,
        tenant=SimpleNamespace(name="Demo"),
        get_username=lambda: "bao",
    )

    def answer(request):
        request.user = AnonymousUser() if "anonymous" in request.GET else person
        request.theme = request.COOKIES.get("theme", "system")
        return get_response(request)

    return answer


def inbox(request):
    rows = [
        {"id": 1, "title": "Leave of 2 days", "who": "Ann Lee", "due": NOW, "at": NOW},
        {"id": 2, "title": "A", "who": "Dan Liu", "due": NOW + timedelta(hours=1), "at": NOW},
        {"id": 3, "title": "B " * 60, "who": "Chi", "due": NOW - timedelta(days=3), "at": NOW},
    ]
    return _answer(request, LIST, rows=rows, now=NOW, codes=(200, 401, 404, 409, 422, 500))


def leave(request):
    form = Leave(request.POST or None)
    if request.method == "POST":
        posted.append(request.POST.get("do", ""))
        if form.is_valid():
            return HttpResponseRedirect("/story/")
    return _answer(request, FORM, 422 if request.method == "POST" else 200, form=form)


def story(request):
    entries = [
        {"title": "Submitted", "state": "done", "person": "Ann Lee", "at": NOW},
        {"title": "Head", "state": "approved", "person": "Bao", "at": NOW, "comment": "<i>ok</i>"},
        {"title": "Finance", "state": "running", "current": True, "people": [
            {"name": "Dan Liu", "state": "open"}], "reasons": ["Head of finance"]},
        {"title": "Copy", "state": "expected", "expected": True},
    ]  # fmt: skip
    return _answer(request, STORY, entries=entries)


def sign_in(request):
    return _answer(request, SIGN_IN)


def answer(_request, code):
    response = HttpResponse(f"<p>answer {code}</p>", status=code)
    if code == 200:
        toast = {"flow:toast": {"message": "Saved <b>x</b>", "tone": "success"}}
        response.headers["HX-Trigger"] = json.dumps(toast)
    response.headers["X-Request-Id"] = "r-17"
    return response


def echo(request):
    return JsonResponse({"posted": sorted(request.POST), "htmx": bool(request.htmx)})


def me(_request):
    """The numbers of the navigation, asked again after each act."""
    return JsonResponse({"counters": {"todo": 3}})


urlpatterns = [
    path("", inbox, name="home"),
    path("inbox/", inbox, name="inbox"),
    path("start/", leave, name="start"),
    path("mine/", story, name="mine"),
    path("form/", leave),
    path("story/", story),
    path("sign-in/", sign_in, name="login"),
    path("sign-out/", echo, name="logout"),
    path("set-language/", echo, name="set-language"),
    path("set-theme/", echo, name="set-theme"),
    path("answer/<int:code>/", answer),
    path("echo/", echo),
    path("api/v1/me", me),
    path("static/<path:path>", serve, {"insecure": True}),
]
