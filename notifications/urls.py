"""Addresses of notifications: its pages, and its part of the REST interface."""

from __future__ import annotations

from django.urls import path

from notifications.api import callbacks as callbacks_api
from notifications.api import notices as api
from notifications.api.urging import Urge
from notifications.pages import callbacks as callbacks_pages
from notifications.pages import notices as pages
from notifications.pages import outside as outside_pages
from notifications.pages.callback_operations import operations
from notifications.pages.urging import urge_page

urlpatterns = [
    path("requests/<str:pk>/urge/", urge_page, name="urge"),
    path("requests/<str:pk>/callbacks/", callbacks_pages.callbacks, name="callbacks"),
    path("requests/<str:pk>/callbacks/retry/", callbacks_pages.retry, name="callbacks-retry"),
    path("ops/callbacks/", operations, name="ops-callbacks"),
    path("notices/", pages.notices, name="notices"),
    path("notices/read/", pages.read_all, name="notices-read"),
    path("notices/outside/", outside_pages.outside, name="outside"),
    path("notices/outside/<str:medium>/", outside_pages.address, name="outside-address"),
    path("notices/<str:pk>/", pages.open_notice, name="notice"),
    path("notices/<str:pk>/<str:mark>/", pages.mark, name="notice-mark"),
]
api_urlpatterns = [
    path("instances/<str:pk>/actions/urge", Urge.as_view(), name="api-instance-urge"),
    path("notices/", api.Notices.as_view(), name="api-notices"),
    path("notices/actions/read-all", api.ReadAll.as_view(), name="api-notices-read-all"),
    path("callbacks/", callbacks_api.Callbacks.as_view(), name="api-callbacks"),
    path(
        "callbacks/<str:pk>/actions/retry",
        callbacks_api.Retry.as_view(),
        name="api-callback-retry",
    ),
    path("notices/<str:pk>/actions/read", api.Read.as_view(), name="api-notice-read"),
]
