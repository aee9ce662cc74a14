"""The rows of workflow."""

from __future__ import annotations

from workflow.models.definitions import Definition, NumberSeries, Version
from workflow.models.history import Event
from workflow.models.instances import SPAN, Instance, Step, Task
from workflow.models.work import Job

__all__ = [
    "SPAN",
    "Definition",
    "Event",
    "Instance",
    "Job",
    "NumberSeries",
    "Step",
    "Task",
    "Version",
]
