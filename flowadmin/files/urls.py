"""Addresses of the REST interface of files."""

from __future__ import annotations

from django.urls import path

from flowadmin.files.api import FileDetail, Files

api_urlpatterns = [
    path("files/", Files.as_view(), name="api-files"),
    path("files/<str:pk>/", FileDetail.as_view(), name="api-file"),
]
