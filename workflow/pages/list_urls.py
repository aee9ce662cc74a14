"""Addresses of the lists: the inbox with its views and decisions for several, my requests."""

from __future__ import annotations

from django.urls import path

from workflow.pages import exporting, inbox, mine, peek, saved_views, together

urlpatterns = [
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/news/", inbox.news, name="inbox-news"),
    path("inbox/together/", together.together, name="inbox-together"),
    path("inbox/views/", saved_views.keep, name="inbox-views"),
    path("inbox/views/<str:pk>/forget/", saved_views.forget, name="inbox-view-forget"),
    path("inbox/export/", exporting.export_inbox, name="inbox-export"),
    path("mine/", mine.mine, name="mine"),
    path("mine/export/", exporting.export_mine, name="mine-export"),
    path("requests/<str:pk>/peek/", peek.peek, name="request-peek"),
]
