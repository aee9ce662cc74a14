"""App configuration of workflow."""

from __future__ import annotations

from django.apps import AppConfig


class WorkflowConfig(AppConfig):
    name = "workflow"
