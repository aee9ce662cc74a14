"""Every page of the product by its address, and what the remaining addresses are instead."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from django.urls import URLPattern, URLResolver, get_resolver, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

# Who looks: names of pictures with addresses; a word in braces is a number of `furnished`.
PAGES: dict[str, dict[str, str]] = {
    "": {
        "sign-in": "/login/",
        "sign-in-to-go-on": "/login/?next=/inbox/",
        "missing": "/nothing-here/",
        "problem-codes": "/problems/",
        "problem-code": "/problems/task.closed",
    },
    "ann": {
        "home": "/",
        "home-chart": "/charts/states/",
        "inbox-empty": "/inbox/",
        "catalogue": "/start/",
        "catalogue-nothing": "/start/?q=zebra",
        "start-leave": "/start/leave/",
        "start-expense": "/start/expense/",
        "start-draft": "/start/expense/?draft={draft}",
        "mine-running": "/mine/",
        "mine-finished": "/mine/?tab=finished",
        "mine-rejected": "/mine/?tab=rejected",
        "request-approved": "/requests/{approved}/",
        "request-rejected": "/requests/{rejected}/",
        "request-terminated": "/requests/{terminated}/",
        "request-running": "/requests/{running}/",
        "request-not-mine": "/requests/{foreign}/",
        "request-picture": "/requests/{running}/picture/",
        "request-records": "/requests/{approved}/records/",
        "request-comments": "/requests/{approved}/comments/",
        "request-callbacks": "/requests/{running}/callbacks/",
        "request-print": "/requests/{approved}/print/",
        "request-then": "/requests/{running}/then/?at=2999-01-01T00:00:00Z",
        "request-withdraw": "/requests/{task}/acts/withdraw/",
        "drafts": "/drafts/",
        "notices-none": "/notices/",
        "notices-outside": "/notices/outside/",
        "processes-forbidden": "/processes/",
    },
    "bao": {
        "inbox": "/inbox/",
        "inbox-filtered": "/inbox/?q=expense",
        "inbox-nothing": "/inbox/?q=zebra",
        "done": "/inbox/?box=done",
        "copied-nothing": "/inbox/?box=copied",
        "task": "/requests/{task}/",
    },
    "dan": {
        "task-to-fill-in": "/requests/{running}/",
        "notices": "/notices/",
        "notices-urges": "/notices/?kind=urge",
    },
    "chi": {"copied": "/inbox/?box=copied", "task-reassigned": "/requests/{reassigned}/"},
    "admin": {
        "runs": "/ops/runs/",
        "runs-retried": "/ops/runs/?tab=retried&more=0",
        "runs-nothing": "/ops/runs/?number=unknown",
        "run": "/ops/runs/{run}/",
        "ops-callbacks": "/ops/callbacks/",
        "processes": "/processes/",
        "process-versions": "/processes/expense/",
        "process-picture": "/processes/expense/?tab=picture",
        "process-figures": "/processes/expense/?tab=figures",
        "process-version": "/processes/expense/versions/2/",
        "process-versions-differ": "/processes/expense/versions/2/?against=1",
        "process-import": "/process-import/",
        "process-templates": "/process-templates/",
        "process-template": "/process-templates/leave/",
        "design-drafts": "/design/drafts/",
        "design-drafts-gone": "/design/drafts/?deleted={gone}",
        "design-compare": "/design/drafts/{design}/compare/",
        "design-publish": "/design/drafts/{design}/publish/",
        # Its four stages and its panels have tests of their own, test_designer*.py.
        "designer-opened": "/design/{design}/",
        "drafts-none": "/drafts/",
    },
}

# Answers to a POST alone.
SENT = "405"
# A part of a page, a file, data of a script, or for a machine: nobody looks at it by itself.
PART, FILE, DATA = "part", "file", "data"
# The way to another page.
WAY = "303"
NOT_PAGES: dict[str, tuple[str, str]] = {
    "health-live": (DATA, "/health/live"),
    "health-ready": (DATA, "/health/ready"),
    "metrics": (DATA, "/metrics"),
    "logout": (SENT, "/logout/"),
    "set-language": (SENT, "/set-language/"),
    "set-theme": (SENT, "/set-theme/"),
    "directory-search": (DATA, "/directory/search?kind=user&text=ann"),
    "form-preview": (SENT, "/design/form-preview"),
    "designer-live": (DATA, "/design/live/expense/?draft={design}"),
    "inbox-news": (PART, "/inbox/news/"),
    "inbox-together": (SENT, "/inbox/together/"),
    "inbox-views": (SENT, "/inbox/views/"),
    "inbox-view-forget": (SENT, "/inbox/views/1/forget/"),
    "inbox-export": (FILE, "/inbox/export/"),
    "mine-export": (FILE, "/mine/export/"),
    "request-peek": (PART, "/requests/{running}/peek/"),
    "request-ahead": (PART, "/requests/{running}/ahead/"),
    "request-records": (FILE, "/requests/{running}/records.csv"),
    "process-export": (FILE, "/processes/expense/export/"),
    "process-category": (SENT, "/processes/expense/category/"),
    "process-order": (SENT, "/process-order/"),
    "process-act": (SENT, "/processes/expense/acts/undo/"),
    "start-favourite": (SENT, "/start/expense/favourite/"),
    "start-ahead": (SENT, "/start/expense/ahead/"),
    "urge": (SENT, "/requests/{running}/urge/"),
    "callbacks-retry": (SENT, "/requests/{running}/callbacks/retry/"),
    "notices-read": (SENT, "/notices/read/"),
    "notice": (WAY, "/notices/{notice}/"),
    "outside-address": (SENT, "/notices/outside/mail/"),
    "notice-mark": (SENT, "/notices/{notice}/read/"),
    "run-export": (FILE, "/ops/runs/{run}/export/"),
}

# The administration's pages besides those that every kind of row has.
ADMINISTRATION = {
    "index": "/admin/",
    "app_list": "/admin/workflow/",
    "workflow_designdraft_content": "/admin/workflow/designdraft/{design}/content/",
    "workflow_instance_act": "/admin/workflow/instance/{running}/act/terminate/",
    "workflow_task_act": "/admin/workflow/task/{open_task}/act/reassign/",
    "auth_user_password_change": "/admin/directory/user/{person}/password/",
    "password_change": "/admin/password_change/",
    "password_change_done": "/admin/password_change/done/",
}
# Our own sign-in page, a way out, scripts and data of Django's own pages.
NOT_ADMINISTRATION = {"login", "logout", "autocomplete", "jsi18n", "view_on_site"}
OF_EVERY_KIND = ("changelist", "add", "history", "delete", "change")


def names(prefix: str = "") -> set[str]:
    """The names of the resolver's addresses below the prefix; the REST interface left out."""
    return {name for route, name in _all(get_resolver().url_patterns) if route.startswith(prefix)}


def _all(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, str]]:
    for each in patterns:
        route = before + str(each.pattern)
        if route.startswith("api/v1/"):
            continue
        if isinstance(each, URLResolver):
            yield from _all(each.url_patterns, route)
        elif each.name:
            yield route, each.name


def name_of(address: str) -> str:
    """The name of the page with this address, whatever its numbers."""
    path = address.partition("?")[0].format_map(defaultdict(lambda: 1))
    return resolve(path).url_name or ""
