"""Published versions, decoded and compiled once per process.

A version never changes once it is published, so nothing here can become stale.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from workflow.engine.decision import Definition
from workflow.engine.parsing import decode
from workflow.engine.plan import compile_plan
from workflow.forms.reading import decode_form
from workflow.models import Version


@lru_cache(maxsize=512)
def definition_of(version_id: int) -> Definition:
    """The compiled process and form of a version. Raises Version.DoesNotExist."""
    row = Version.with_private.only("document", "form").get(pk=version_id)
    return compile_definition(row.document, row.form)


def base_of(version: Version) -> Definition:
    """The published version that a request's own one was made from; a published one itself."""
    if version.private_to_id is None:
        return definition_of(version.pk)
    rows = Version.objects.filter(definition=version.definition_id, number=version.number)
    return definition_of(rows.values_list("pk", flat=True).get())


def compile_definition(document: str, form: str) -> Definition:
    """Compile stored canonical text. Raises ValueError when a stored version cannot be read."""
    decoded = decode(msgspec.json.decode(document))
    form_doc = decode_form(msgspec.json.decode(form))[0] if form else None
    if decoded.doc is None or (form and form_doc is None):
        message = "A stored version cannot be read by this program."
        raise ValueError(message)
    return Definition(plan=compile_plan(decoded.doc), form=form_doc)
