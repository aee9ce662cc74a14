"""The rows of workflow."""

from __future__ import annotations

from workflow.models.definitions import (
    Definition,
    Favourite,
    NumberSeries,
    Publication,
    Version,
)
from workflow.models.drafts import ApplicationDraft, DesignDraft, Draft
from workflow.models.history import Event
from workflow.models.instances import SPAN, Instance, Step, Task
from workflow.models.outside import Call, ChildRequest, Secret
from workflow.models.scenarios import ScenarioSet
from workflow.models.targets import Target
from workflow.models.views import SavedView
from workflow.models.work import Job

__all__ = [
    "SPAN",
    "ApplicationDraft",
    "Call",
    "ChildRequest",
    "Definition",
    "DesignDraft",
    "Draft",
    "Event",
    "Favourite",
    "Instance",
    "Job",
    "NumberSeries",
    "Publication",
    "SavedView",
    "ScenarioSet",
    "Secret",
    "Step",
    "Target",
    "Task",
    "Version",
]
