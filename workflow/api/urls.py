"""Addresses of the REST interface of workflow."""

from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
