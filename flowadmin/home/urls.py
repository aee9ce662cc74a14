"""The home page and `me`."""

from __future__ import annotations

from django.urls import path

from flowadmin.home.page import home
from flowadmin.home.views import Me

urlpatterns = [path("", home, name="home")]
api_urlpatterns = [path("me", Me.as_view(), name="me")]
