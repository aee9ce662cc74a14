"""Addresses of the pages of workflow."""

from __future__ import annotations

from django.urls import include, path

from workflow.pages import (
    ahead,
    arranging,
    catalogue,
    designing,
    earlier,
    form_preview,
    print_view,
    requests,
    starting,
    tab_views,
)

urlpatterns = [
    path("design/<int:pk>/", designing.designer, name="designer"),
    path("design/form-preview", form_preview.form_preview, name="form-preview"),
    path("design/live/<str:key>/", designing.live_version, name="designer-live"),
    path("", include("workflow.pages.list_urls")),
    path("requests/<str:pk>/", requests.request_page, name="request"),
    path("requests/<str:pk>/acts/<str:act>/", requests.act_page, name="request-act"),
    path("requests/<str:pk>/ahead/", ahead.request_ahead, name="request-ahead"),
    path("requests/<str:pk>/then/", earlier.form_then, name="request-then"),
    path("requests/<str:pk>/print/", print_view.print_request, name="request-print"),
    path("requests/<str:pk>/picture/", tab_views.picture_of_request, name="request-picture"),
    path("requests/<str:pk>/records/", tab_views.records, name="request-trail"),
    path("requests/<str:pk>/comments/", tab_views.comments, name="request-comments"),
    path("requests/<str:pk>/records.csv", print_view.records, name="request-records"),
    path("", include("workflow.pages.process_urls")),
    path("", include("workflow.pages.draft_urls")),
    path("start/", catalogue.catalogue, name="start"),
    path("start/<str:key>/", starting.start_flow, name="start-flow"),
    path("start/<str:key>/favourite/", arranging.favourite, name="start-favourite"),
    path("start/<str:key>/ahead/", ahead.start_ahead, name="start-ahead"),
]
