"""Every address of the installation."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from flowadmin import health, metrics
from flowadmin.directory import urls as directory
from flowadmin.files import urls as files
from flowadmin.home import urls as home
from flowadmin.ops import urls as ops
from flowadmin.rest import urls as rest
from notifications import urls as notifications
from workflow import urls as workflow

urlpatterns = [
    *health.urlpatterns,
    *metrics.urlpatterns,
    # Before the admin's own: its sign-in page is ours, which is throttled.
    *directory.urlpatterns,
    path("admin/", admin.site.urls),
    *home.urlpatterns,
    *rest.urlpatterns,
    *workflow.urlpatterns,
    *notifications.urlpatterns,
    *ops.urlpatterns,
    path(
        "api/v1/",
        include(
            [
                *home.api_urlpatterns,
                *files.api_urlpatterns,
                *workflow.api_urlpatterns,
                *notifications.api_urlpatterns,
            ]
        ),
    ),
]
handler400 = "flowadmin.rest.pages.bad_request"
handler403 = "flowadmin.rest.pages.forbidden"
handler404 = "flowadmin.rest.pages.missing"
handler500 = "flowadmin.rest.pages.failed"
