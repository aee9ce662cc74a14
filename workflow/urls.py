"""Addresses of workflow: its pages, and its part of the REST interface."""

from __future__ import annotations

from workflow.api.urls import urlpatterns as api_urlpatterns
from workflow.pages.urls import urlpatterns

__all__ = ["api_urlpatterns", "urlpatterns"]
