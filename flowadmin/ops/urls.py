"""The operators' pages."""

from __future__ import annotations

from django.urls import path

from flowadmin.ops.run import export_run, run
from flowadmin.ops.runs import runs

urlpatterns = [
    path("ops/runs/", runs, name="runs"),
    path("ops/runs/<str:pk>/", run, name="run"),
    path("ops/runs/<str:pk>/export/", export_run, name="run-export"),
]
