"""Addresses of the pages of workflow."""

from __future__ import annotations

from django.urls import path

from workflow.pages import ahead, inbox, mine, requests, starting

urlpatterns = [
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/news/", inbox.news, name="inbox-news"),
    path("requests/<str:pk>/", requests.request_page, name="request"),
    path("requests/<str:pk>/acts/<str:act>/", requests.act_page, name="request-act"),
    path("requests/<str:pk>/ahead/", ahead.request_ahead, name="request-ahead"),
    path("start/", starting.catalogue, name="start"),
    path("start/<str:key>/", starting.start_flow, name="start-flow"),
    path("start/<str:key>/ahead/", ahead.start_ahead, name="start-ahead"),
    path("mine/", mine.mine, name="mine"),
]
