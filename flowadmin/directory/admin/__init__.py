"""The administration of the directory, each class within the tenant of whoever works there."""

from __future__ import annotations

from flowadmin.directory.admin import people, time, units
from flowadmin.directory.admin.limited import TenantLimited, own_tenant_id

__all__ = ["TenantLimited", "own_tenant_id", "people", "time", "units"]
