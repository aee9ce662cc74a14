"""Addresses of the pages about processes and their versions."""

from __future__ import annotations

from django.urls import path

from workflow.pages import arranging, gallery, importing, processes, versions

urlpatterns = [
    # Not below `processes/`, where a process may be called `import`.
    path("process-import/", importing.import_process, name="process-import"),
    path("process-order/", arranging.order, name="process-order"),
    path("process-templates/", gallery.templates, name="process-templates"),
    path("process-templates/<str:name>/", gallery.template, name="process-template"),
    path("processes/", processes.processes, name="processes"),
    path("processes/<str:key>/", processes.process, name="process"),
    path("processes/<str:key>/category/", arranging.category, name="process-category"),
    path("processes/<str:key>/export/", versions.export, name="process-export"),
    path("processes/<str:key>/acts/<str:verb>/", versions.act, name="process-act"),
    path(
        "processes/<str:key>/versions/<str:number>/",
        versions.version_page,
        name="process-version",
    ),
]
