"""The shapes of the REST interface as the OpenAPI document tells them; nothing reads with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field, inline_serializer
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    Field,
    IntegerField,
    JSONField,
    ListField,
    Serializer,
)

from workflow.engine.offers import VERBS
from workflow.engine.state import InstanceState, SeatState
from workflow.offering import INSTANCE_VERBS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from drf_spectacular.openapi import AutoSchema
    from drf_spectacular.utils import Direction

Shape = type[Serializer[Any]]


class Word(ChoiceField):
    """One of a few words, as a component of its own under a name that stays (interface.md 9)."""

    def __init__(self, component: str, words: Iterable[str], **options: Any) -> None:
        self.component = component
        super().__init__(choices=list(words), **options)


class WordComponent(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # registers
    """Tells spectacular the component's name, which it would otherwise make up by itself."""

    target_class = Word

    def get_name(self) -> str:
        """The component's name."""
        return str(self.target.component)

    def map_serializer_field(
        self, _auto_schema: AutoSchema, _direction: Direction
    ) -> dict[str, Any]:
        """The component itself."""
        return {"type": "string", "enum": list(self.target.choices)}


@extend_schema_field(OpenApiTypes.OBJECT)
class AnyObject(JSONField):
    """An object whose members depend on the process."""


@extend_schema_field(OpenApiTypes.ANY)
class AnyValue(JSONField):
    """A form value."""


def _shape(name: str, members: dict[str, Field[Any, Any, Any, Any]], *bases: Shape) -> Shape:
    # Made by hand, since a class body could not name members `label`, `default` or `fields`
    # without hiding what every serializer has under these names.
    return type(name, bases or (Serializer,), dict(members))


def _may(kind: type[Field[Any, Any, Any, Any]], **options: Any) -> Field[Any, Any, Any, Any]:
    return kind(allow_null=True, **options)


def _may_be(shape: Shape) -> Any:
    return shape(allow_null=True)


_Person = _shape("Person", {"login": CharField(), "name": CharField()})
_Option = _shape("Option", {"id": CharField(), "label": CharField()})
_FIELD: dict[str, Any] = {
    "id": CharField(),
    "type": CharField(),
    "label": CharField(),
    "help": CharField(),
    "required": BooleanField(),
    "right": Word("FieldRight", ["read", "edit", "must"]),
    "default": _may(AnyValue),
    "limits": AnyObject(),
    "options": _Option(many=True),
}
_Column = _shape("Column", _FIELD)
_Field = _shape(
    "Field",
    _FIELD
    | {
        "columns": _Column(many=True, help_text="Of a table; else empty."),
        "rows": ListField(
            child=Word("RowRight", ["add", "edit", "delete"]),
            help_text="What may be done to the rows of a table.",
        ),
    },
)
_Form = _shape("Form", {"fields": _Field(many=True)})

FlowRow = _shape(
    "FlowRow",
    {
        "key": CharField(),
        "version": IntegerField(),
        "name": CharField(),
        "category": CharField(),
        "favourite": BooleanField(),
        "may_start": BooleanField(),
    },
)
FlowDetail = _shape("FlowDetail", {"form": _Form()}, FlowRow)
VersionRow = _shape(
    "VersionRow",
    {
        "version": IntegerField(),
        "digest": CharField(),
        "form_version": _may(IntegerField),
        "form_digest": _may(CharField),
        "note": CharField(),
        "published_by": _Person(allow_null=True),
        "published_at": DateTimeField(),
        "current": BooleanField(),
    },
)
_Found = _shape(
    "FoundProblem",
    {
        "code": CharField(),
        "at": CharField(help_text="JSON Pointer into the body."),
        "step": _may(CharField),
        "level": Word("ProblemLevel", ["error", "warning"]),
        "args": AnyObject(),
        "message": CharField(),
    },
)
ValidateAnswer = _shape("ValidateAnswer", {"ok": BooleanField(), "problems": _Found(many=True)})
PublishRequest = _shape(
    "PublishRequest",
    {
        "document": AnyObject(
            required=False, help_text="A flowdoc, version 1; it or `draft` has to be there."
        ),
        "form": AnyObject(required=False, allow_null=True, help_text="A formdoc, version 1."),
        "draft": CharField(required=False, help_text="A design draft of one's own."),
        "over": IntegerField(
            required=False, help_text="The live version it was compared with; 0: there is none."
        ),
        "note": CharField(required=False, max_length=500),
        "scenarios": ListField(
            required=False,
            allow_null=True,
            child=AnyObject(),
            help_text="Scenarios to keep with it; absent: those of the version before.",
        ),
        "require_green": BooleanField(
            required=False, help_text="Refuse unless all scenarios come out as expected."
        ),
    },
)
PublishAnswer = _shape(
    "PublishAnswer",
    {
        "key": CharField(),
        "version": IntegerField(),
        "digest": CharField(),
        "scenarios": ListField(child=AnyObject(), help_text="What each scenario came to."),
    },
)

InstanceRow = _shape(
    "InstanceRow",
    {
        "id": CharField(),
        "flow": CharField(),
        "version": IntegerField(),
        "number": CharField(),
        "title": CharField(),
        "state": Word("InstanceState", InstanceState),
        "held": BooleanField(),
        "paused": BooleanField(),
        "initiator": _Person(),
        "started_at": DateTimeField(),
        "ended_at": _may(DateTimeField),
    },
)
_Brief = _shape("InstanceOfTask", {"id": CharField(), "title": CharField()})
_Step = _shape("StepOfTask", {"id": CharField(), "name": CharField()})
TaskRow = _shape(
    "TaskRow",
    {
        "id": CharField(),
        "version": IntegerField(),
        "instance": _Brief(),
        "flow": CharField(),
        "step": _Step(),
        "state": Word("TaskState", SeatState),
        "due_at": _may(DateTimeField),
        "created_at": DateTimeField(),
        "actions": ListField(child=Word("TaskVerb", VERBS)),
    },
)
_Offer = _shape(
    "Offer",
    {
        "verb": Word("TaskVerb", VERBS),
        "allowed": BooleanField(),
        "code": CharField(help_text="Why not; empty when it would be accepted."),
        "message": CharField(),
        "choices": ListField(
            child=CharField(),
            help_text="Steps to return to, places to add people at, tasks to remove.",
        ),
    },
)
_Pick = _shape(
    "Pick",
    {
        "step": CharField(),
        "name": CharField(),
        "min": IntegerField(),
        "max": IntegerField(),
        "required": BooleanField(),
    },
)
_Votes = _shape(
    "Votes",
    {
        "for": IntegerField(),
        "against": IntegerField(),
        "open": IntegerField(),
        "needed": IntegerField(),
    },
)
_HeldTask = _shape("HeldTask", {"holder": _Person()}, TaskRow)
TaskDetail = _shape(
    "TaskDetail",
    {
        "kind": Word("TaskKind", ["decide", "copy"]),
        "initiator": _Person(),
        "number": CharField(),
        "decided_at": _may(DateTimeField),
        "reason": CharField(),
        "note": CharField(),
        "comment": Word("CommentRule", ["no", "may", "must", "to_reject"]),
        "signature": Word("EvidenceRule", ["no", "may", "must"]),
        "attachments": Word("EvidenceRule", ["no", "may", "must"]),
        "labels": _shape(
            "DecisionLabels",
            {"approve": CharField(), "reject": CharField(), "return": CharField()},
        )(),
        "form": _Form(),
        "values": AnyObject(),
        "offers": _Offer(many=True),
        "bulk_actions": ListField(child=Word("BulkVerb", ["approve", "reject", "complete"])),
        "return_targets": _Step(many=True),
        "rejection_targets": _Step(
            many=True, help_text="Where the process lets whoever rejects choose."
        ),
        "removable": _shape("RemovableTask", {"task": CharField(), "holder": _Person()})(
            many=True
        ),
        "picks": _Pick(many=True),
        "stands_in_for": _may_be(_Person),
        "chain": _Person(many=True, help_text="Earlier holders, the first one first."),
        "added_by": _may_be(_Person),
        "claimed_by": _may_be(_Person),
        "snoozed_until": _may(DateTimeField),
        "votes": _may_be(_Votes),
    },
    _HeldTask,
)
_Entry = _shape(
    "TimelineEntry",
    {
        "at": DateTimeField(),
        "actor": _may(CharField),
        "kind": CharField(),
        "step": _may(CharField),
        "state": CharField(),
        "text": CharField(),
        "comment": CharField(),
        "why": ListField(child=CharField()),
        "current": BooleanField(),
        "files": IntegerField(help_text="How many files came with it."),
        "signed": BooleanField(),
    },
)
InstanceDetail = _shape(
    "InstanceDetail",
    {
        "form": _Form(),
        "values": AnyObject(),
        "tasks": _HeldTask(many=True),
        "timeline": _Entry(many=True),
        "actions": ListField(child=Word("InstanceVerb", INSTANCE_VERBS)),
        "jump_targets": _Step(many=True, help_text="Where a manager may jump to; else empty."),
        "future": AnyObject(allow_null=True, help_text="{insert_after, set_people, remove}"),
    },
    InstanceRow,
)
_Event = _shape(
    "HistoryEvent",
    {
        "position": IntegerField(),
        "kind": CharField(),
        "at": DateTimeField(),
        "actor": _Person(allow_null=True),
        "data": AnyObject(),
    },
)
HistoryPage = _shape(
    "HistoryPage",
    {"next": _may(CharField), "previous": _may(CharField), "results": _Event(many=True)},
)

StartRequest = _shape(
    "StartRequest",
    {
        "flow": CharField(),
        "form": AnyObject(required=False),
        "picked": AnyObject(required=False, help_text="{step: [login]}"),
    },
)
_SAID: dict[str, Any] = {
    "comment": CharField(required=False, max_length=2000),
    "attachments": ListField(
        child=CharField(), required=False, help_text="Ids of files of the caller."
    ),
    "signature": CharField(required=False, help_text="Id of a file of the caller."),
    "task_version": IntegerField(required=False, help_text="Or the header If-Match."),
}
DecisionRequest = _shape("DecisionRequest", _SAID | {"form": AnyObject(required=False)})
CommentRequest = _shape(
    "CommentRequest",
    {"comment": CharField(max_length=2000), "task_version": _SAID["task_version"]},
)
DecisionAnswer = _shape("DecisionAnswer", {"task": TaskRow(), "instance": InstanceRow()})
CancelRequest = _shape("CancelRequest", {"reason": CharField(max_length=2000)})
ReassignRequest = _shape(
    "ReassignRequest",
    {
        "task": CharField(required=False, help_text="An open task; or the step, never both."),
        "step": CharField(
            required=False, help_text="Id of a step that is held because nobody was found."
        ),
        "to": CharField(help_text="Login name of an active person of the tenant."),
        "reason": CharField(max_length=2000),
    },
)


def page_of(row: Shape) -> Any:
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


def box(*words: str) -> OpenApiParameter:
    """The parameter `box`; the first word is what is meant without it."""
    return _query("box", enum=list(words), default=words[0])


_SIZE = _query("page_size", int, description="1 to 100; 20 by default.")
PAGE = [_query("page", int, description="From 1."), _SIZE]
CURSOR = [_query("cursor", description="Opaque: from `next` of the page before."), _SIZE]
INSTANCE_FILTERS = [
    box("mine", "involved", "all"),
    _query("flow", description="Key of the process."),
    _query("state", enum=[state.value for state in InstanceState]),
    _query("held", bool),
    _query("search", description="Part of title or number."),
    _query("ordering", enum=["id", "-id", "started_at", "-started_at"], default="-id"),
    *PAGE,
]


# For the shapes that have a file of their own (described_reasons.py, described_acts.py).
shape, may, Person, Step, Finding = _shape, _may, _Person, _Step, _Found
SAID = _SAID
