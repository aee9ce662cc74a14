"""Addresses of the pages about processes and their versions."""

from __future__ import annotations

from django.urls import path

from workflow.pages import importing, processes, versions

urlpatterns = [
    # Not below `processes/`, where a process may be called `import`.
    path("process-import/", importing.import_process, name="process-import"),
    path("processes/", processes.processes, name="processes"),
    path("processes/<str:key>/", processes.process, name="process"),
    path("processes/<str:key>/export/", versions.export, name="process-export"),
    path("processes/<str:key>/acts/<str:verb>/", versions.act, name="process-act"),
    path(
        "processes/<str:key>/versions/<str:number>/",
        versions.version_page,
        name="process-version",
    ),
]
