"""Every address of the installation."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from flowadmin import health
from flowadmin.directory import urls as directory
from flowadmin.files import urls as files
from flowadmin.home import urls as home
from flowadmin.rest import urls as rest
from workflow import urls as workflow

urlpatterns = [
    *health.urlpatterns,
    # Before the admin's own: its sign-in page is ours, which is throttled.
    *directory.urlpatterns,
    path("admin/", admin.site.urls),
    *home.urlpatterns,
    *rest.urlpatterns,
    *workflow.urlpatterns,
    path(
        "api/v1/",
        include([*home.api_urlpatterns, *files.api_urlpatterns, *workflow.api_urlpatterns]),
    ),
]
handler400 = "flowadmin.rest.pages.bad_request"
handler403 = "flowadmin.rest.pages.forbidden"
handler404 = "flowadmin.rest.pages.missing"
handler500 = "flowadmin.rest.pages.failed"
