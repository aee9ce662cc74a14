"""Django's administration of workflow: everything is read, and acts are the product's own."""

from __future__ import annotations

from workflow.admin import calls, drafts, kept_secrets, leavers, processes, requests, targets

__all__ = ["calls", "drafts", "kept_secrets", "leavers", "processes", "requests", "targets"]
