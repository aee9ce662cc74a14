"""Django's administration of workflow: everything is read, and acts are the product's own."""

from __future__ import annotations

from workflow.admin import calls, kept_secrets, leavers, processes, requests

__all__ = ["calls", "kept_secrets", "leavers", "processes", "requests"]
