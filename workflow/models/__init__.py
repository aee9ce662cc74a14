"""The rows of workflow."""

from __future__ import annotations

from workflow.models.definitions import Definition, NumberSeries, Publication, Version
from workflow.models.history import Event
from workflow.models.instances import SPAN, Instance, Step, Task
from workflow.models.outside import Call, ChildRequest, Secret
from workflow.models.scenarios import ScenarioSet
from workflow.models.work import Job

__all__ = [
    "SPAN",
    "Call",
    "ChildRequest",
    "Definition",
    "Event",
    "Instance",
    "Job",
    "NumberSeries",
    "Publication",
    "ScenarioSet",
    "Secret",
    "Step",
    "Task",
    "Version",
]
