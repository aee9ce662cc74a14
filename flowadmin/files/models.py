"""The rows of uploaded files; their bytes lie on disk under the same id."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from flowadmin.files.naming import NAME_LENGTH

ID_LENGTH = 22
PLACE_LENGTH = 120


class File(models.Model):
    """One uploaded file: unbound, or bound to the one place that holds it.

    The row exists only while the bytes do: they are stored before it and removed after it.
    ``bound_to`` is empty or names the place in words of whoever bound it, kind first, such as
    ``instance:17:field:receipt``; it never goes back to empty, since a history names the file.

    Source: contract, Files.
    """

    # Sixteen random bytes in url-safe characters: nobody can guess the id of another's file.
    id = models.CharField(primary_key=True, max_length=ID_LENGTH)
    # Nothing is looked up by tenant alone, and the owner's own index begins with the owner.
    tenant = models.ForeignKey(
        "directory.Tenant", models.PROTECT, related_name="+", db_index=False
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False
    )
    name = models.CharField(max_length=NAME_LENGTH)
    size = models.PositiveIntegerField()
    media_type = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    bound_to = models.CharField(max_length=PLACE_LENGTH, blank=True, default="")
    bound_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "flow_file"
        indexes = [
            # What is unbound and old, and what one place holds.
            models.Index(fields=["bound_to", "created_at"], name="flow_file_bound"),
            models.Index(fields=["owner", "bound_to"], name="flow_file_owner"),
        ]

    def __str__(self) -> str:
        return self.name
