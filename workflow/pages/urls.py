"""Addresses of the pages of workflow."""

from __future__ import annotations

from django.urls import path

from workflow.pages import inbox, mine, requests, starting

urlpatterns = [
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/news/", inbox.news, name="inbox-news"),
    path("requests/<str:pk>/", requests.request_page, name="request"),
    path("start/", starting.catalogue, name="start"),
    path("start/<str:key>/", starting.start_flow, name="start-flow"),
    path("mine/", mine.mine, name="mine"),
]
