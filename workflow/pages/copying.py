"""A new request with the values of an earlier one: the start page, filled in as it was then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from django.urls import reverse

from flowadmin.rest.problems import not_found
from workflow import access
from workflow.forms.formdoc import defaults, fields_by_id
from workflow.forms.rights import fillable
from workflow.models import Definition
from workflow.pages.known import outside_of
from workflow.pages.typed_again import typed_again
from workflow.published import definition_of
from workflow.reading import reading_of

if TYPE_CHECKING:
    from django.http import HttpRequest, QueryDict

    from flowadmin.directory.models import User
    from workflow.models import Instance

# The parameter of the start page that names the earlier request.
AGAIN = "again"


def again_address(instance: Instance) -> str:
    """Where the same is filed anew; empty while its process accepts no requests.

    The process has to be read along with the request.
    """
    definition = instance.definition
    if definition.state != Definition.State.ACTIVE or definition.current_id is None:
        return ""
    return f"{reverse('start-flow', args=[definition.key])}?{AGAIN}={instance.pk}"


def copied(request: HttpRequest, user: User, row: Definition) -> QueryDict | None:
    """What the form is filled with when the address names an earlier request of this person.

    Only what the live version still asks in the same way, and nothing that the person may not
    read any more; files belong to the request that they were filed with. Raises Problem 404 for
    a request that this person did not file, or of another process.
    """
    text = request.GET.get(AGAIN, "")
    if not text:
        return None
    instance = access.instance(user, access.row_id(text))
    if instance.initiator_id != user.pk or instance.definition_id != row.pk:
        raise not_found()
    if row.current_id is None:
        return None
    new, reading = definition_of(row.current_id), reading_of(user, instance)
    before = reading.definition.form
    if new.form is None or before is None:
        return None
    asked, rights = fields_by_id(before), new.start_rights()
    same = [
        each.id
        for each in new.form.fields
        if each.type != "file"
        and fillable(each, rights)
        and each.id in asked
        and asked[each.id].type == each.type
    ]
    values = reading.values()
    kept = {name: values[name] for name in same if name in values}
    outside = outside_of(user, new.form, defaults(new.form))
    return typed_again(new.form, msgspec.json.decode(msgspec.json.encode(kept)), {}, outside)
