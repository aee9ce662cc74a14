"""The shapes of the REST interface as the OpenAPI document tells them; nothing reads with these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field, inline_serializer
from rest_framework import serializers
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    IntegerField,
    ListField,
)

from workflow.engine.state import InstanceState, SeatState

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = serializers.Serializer[Any]


@extend_schema_field(OpenApiTypes.OBJECT)
class AnyObject(serializers.JSONField):
    """An object whose members depend on the process."""


@extend_schema_field(OpenApiTypes.ANY)
class AnyValue(serializers.JSONField):
    """A form value."""


class PersonShape(Shape):
    login = CharField()
    name = CharField()


class OptionShape(Shape):
    id = CharField()
    label = CharField()


class FieldShape(Shape):
    id = CharField()
    type = CharField()
    label = CharField()
    help = CharField()
    required = BooleanField()
    right = ChoiceField(choices=["read", "edit", "must"])
    default = AnyValue(allow_null=True)
    limits = AnyObject()
    options = OptionShape(many=True)


class FormShape(Shape):
    fields_ = FieldShape(many=True)

    def get_fields(self) -> dict[str, Any]:
        """The member is called `fields`, which is a property of every serializer."""
        declared: dict[str, Any] = super().get_fields()
        return {"fields": declared["fields_"]}


class FlowRow(Shape):
    key = CharField()
    version = IntegerField()
    name = CharField()
    may_start = BooleanField()


class FlowDetail(FlowRow):
    form = FormShape()


class VersionRow(Shape):
    version = IntegerField()
    digest = CharField()
    form_version = IntegerField(allow_null=True)
    form_digest = CharField(allow_null=True)
    note = CharField()
    published_by = PersonShape(allow_null=True)
    published_at = DateTimeField()
    current = BooleanField()


class ProblemShape(Shape):
    code = CharField()
    at = CharField(help_text="JSON Pointer into the body.")
    step = CharField(allow_null=True)
    level = ChoiceField(choices=["error", "warning"])
    args = AnyObject()
    message = CharField()


class ValidateAnswer(Shape):
    ok = BooleanField()
    problems = ProblemShape(many=True)


class PublishRequest(Shape):
    document = AnyObject(help_text="A flowdoc, version 1.")
    form = AnyObject(required=False, allow_null=True, help_text="A formdoc, version 1.")
    note = CharField(required=False, max_length=500)


class PublishAnswer(Shape):
    key = CharField()
    version = IntegerField()
    digest = CharField()


class InstanceRow(Shape):
    id = CharField()
    flow = CharField()
    version = IntegerField()
    number = CharField()
    title = CharField()
    state = ChoiceField(choices=[state.value for state in InstanceState])
    held = BooleanField()
    paused = BooleanField()
    initiator = PersonShape()
    started_at = DateTimeField()
    ended_at = DateTimeField(allow_null=True)


class BriefInstance(Shape):
    id = CharField()
    title = CharField()


class BriefStep(Shape):
    id = CharField()
    name = CharField()


class TaskRow(Shape):
    id = CharField()
    version = IntegerField()
    instance = BriefInstance()
    flow = CharField()
    step = BriefStep()
    state = ChoiceField(choices=[state.value for state in SeatState])
    due_at = DateTimeField(allow_null=True)
    created_at = DateTimeField()
    actions = ListField(child=ChoiceField(choices=["approve", "reject", "comment"]))


class HeldTask(TaskRow):
    holder = PersonShape()


class Labels(Shape):
    approve = CharField()
    reject = CharField()


class TaskDetail(HeldTask):
    kind = ChoiceField(choices=["decide", "copy"])
    initiator = PersonShape()
    number = CharField()
    decided_at = DateTimeField(allow_null=True)
    reason = CharField()
    note = CharField()
    comment = ChoiceField(choices=["no", "may", "must", "to_reject"])
    labels = Labels()
    form = FormShape()
    values = AnyObject()


class TimelineEntry(Shape):
    at = DateTimeField()
    actor = CharField(allow_null=True)
    kind = CharField()
    step = CharField(allow_null=True)
    state = CharField()
    text = CharField()
    comment = CharField()
    why = ListField(child=CharField())
    current = BooleanField()


class InstanceDetail(InstanceRow):
    form = FormShape()
    values = AnyObject()
    tasks = HeldTask(many=True)
    timeline = TimelineEntry(many=True)
    actions = ListField(child=ChoiceField(choices=["cancel", "reassign"]))


class HistoryEvent(Shape):
    position = IntegerField()
    kind = CharField()
    at = DateTimeField()
    actor = PersonShape(allow_null=True)
    data = AnyObject()


class HistoryPage(Shape):
    next = CharField(allow_null=True)
    previous = CharField(allow_null=True)
    results = HistoryEvent(many=True)


class StartRequest(Shape):
    flow = CharField()
    form = AnyObject(required=False)
    picked = AnyObject(required=False, help_text="{step: [login]}; empty in this version.")


class DecisionRequest(Shape):
    comment = CharField(required=False, max_length=2000)
    form = AnyObject(required=False)
    attachments = ListField(child=CharField(), required=False)
    task_version = IntegerField(required=False, help_text="Or the header If-Match.")


class CommentRequest(Shape):
    comment = CharField(max_length=2000)
    attachments = ListField(child=CharField(), required=False)
    task_version = IntegerField(required=False, help_text="Taken, and not compared.")


class DecisionAnswer(Shape):
    task = TaskRow()
    instance = InstanceRow()


class InstanceAnswer(Shape):
    instance = InstanceRow()


class CancelRequest(Shape):
    reason = CharField(max_length=2000)


class ReassignRequest(Shape):
    task = CharField()
    to = CharField(help_text="Login name of an active person of the tenant.")
    reason = CharField(max_length=2000)


def page_of(row: type[Shape]) -> Any:
    """A numbered page of these rows."""
    return inline_serializer(
        f"PageOf{row.__name__}",
        {
            "count": IntegerField(),
            "next": CharField(allow_null=True),
            "previous": CharField(allow_null=True),
            "results": row(many=True),
        },
    )


def _query(name: str, kind: Any = str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, **more)


def box(words: Sequence[str]) -> OpenApiParameter:
    """The parameter `box`; the first word is what is meant without it."""
    return _query("box", enum=list(words), default=words[0])


_SIZE = _query("page_size", int, description="1 to 100; 20 by default.")
PAGE = [_query("page", int, description="From 1."), _SIZE]
CURSOR = [_query("cursor", description="Opaque: from `next` of the page before."), _SIZE]
INSTANCE_FILTERS = [
    box(["mine", "involved", "all"]),
    _query("flow", description="Key of the process."),
    _query("state", enum=[state.value for state in InstanceState]),
    _query("held", bool),
    _query("search", description="Part of title or number."),
    _query("ordering", enum=["id", "-id", "started_at", "-started_at"], default="-id"),
    *PAGE,
]
