"""The home page and `me`."""

from __future__ import annotations

from django.urls import path

from flowadmin.home.charts import chart
from flowadmin.home.page import home
from flowadmin.home.views import Me

urlpatterns = [
    path("", home, name="home"),
    path("charts/<str:name>/", chart, name="home-chart"),
]
api_urlpatterns = [path("me", Me.as_view(), name="me")]
