"""Addresses of the pages about both kinds of draft."""

from __future__ import annotations

from django.urls import path

from workflow.pages import application_drafts, design_drafts

urlpatterns = [
    path("drafts/", application_drafts.drafts, name="drafts"),
    # Before `design/<id>/`, the designer itself.
    path("design/drafts/", design_drafts.design_drafts, name="design-drafts"),
    path("design/drafts/<str:pk>/compare/", design_drafts.compare, name="design-draft-compare"),
    path("design/drafts/<str:pk>/publish/", design_drafts.publish, name="design-draft-publish"),
]
