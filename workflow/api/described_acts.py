"""What the acts on tasks and requests take, as the OpenAPI document tells it."""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
    ListField,
)

from workflow.api.described import SAID, AnyObject, InstanceRow, Word, may, shape

_LOGINS = "Login names of people of the tenant."
_DECISION: dict[str, Any] = SAID | {"form": AnyObject(required=False)}
_COMMENT: dict[str, Any] = {
    name: kind for name, kind in SAID.items() if name in {"comment", "task_version"}
}
_REASON: dict[str, Any] = {"reason": CharField(max_length=2000)}

PickingRequest = shape(
    "PickingRequest",
    _DECISION | {"picked": AnyObject(required=False, help_text="{step: [login]}")},
)
RejectionRequest = shape(
    "RejectionRequest",
    _DECISION
    | {"to": CharField(required=False, help_text="A step, where the process lets one choose.")},
)
ReturnRequest = shape(
    "ReturnRequest",
    _DECISION
    | {
        "to": CharField(help_text="A step that the request has passed, or `start`."),
        "resume": Word("Resume", ["forward", "here"], required=False),
    },
)
ToPersonRequest = shape(
    "ToPersonRequest", _DECISION | {"to": CharField(help_text="Login name of a person.")}
)
AddSignerRequest = shape(
    "AddSignerRequest",
    _DECISION
    | {
        "people": ListField(child=CharField(), help_text=_LOGINS),
        "place": Word("AddPlace", ["before", "after", "with"]),
        "decide": Word("GroupDecide", ["any", "all", "in_order"], required=False),
        "counts": Word("RejectCounts", ["any_one", "cannot_pass"], required=False),
    },
)
CopyRequest = shape(
    "CopyRequest", _DECISION | {"people": ListField(child=CharField(), help_text=_LOGINS)}
)
SnoozeRequest = shape(
    "SnoozeRequest",
    _DECISION | {"until": may(DateTimeField, help_text="At most 366 days ahead; null: now.")},
)
TakeBackRequest = shape("TakeBackRequest", _COMMENT)
RemoveSignerRequest = shape(
    "RemoveSignerRequest", _COMMENT | {"task": CharField(help_text="The task of who is removed.")}
)

WithdrawRequest = shape("WithdrawRequest", {"comment": SAID["comment"]})
FlowVersionAnswer = shape("FlowVersionAnswer", {"key": CharField(), "version": IntegerField()})
FlowStateAnswer = shape(
    "FlowStateAnswer", {"key": CharField(), "state": Word("FlowState", ["active", "suspended"])}
)
ReasonRequest = shape("ReasonRequest", _REASON)
ArrangeRequest = shape(
    "ArrangeRequest",
    {
        "category": CharField(max_length=40, required=False, allow_blank=True),
        "position": IntegerField(min_value=1, required=False, help_text="In the category."),
    },
)
ArrangeAnswer = shape(
    "ArrangeAnswer", {"key": CharField(), "category": CharField(), "position": IntegerField()}
)
FavouriteRequest = shape("FavouriteRequest", {"on": BooleanField(required=False)})
FavouriteAnswer = shape("FavouriteAnswer", {"key": CharField(), "favourite": BooleanField()})
ResumeRequest = shape("ResumeRequest", {"reason": CharField(max_length=2000, required=False)})
JumpRequest = shape(
    "JumpRequest", _REASON | {"to": CharField(help_text="A step, `start` or `end`.")}
)
RetryRequest = shape(
    "RetryRequest", _REASON | {"step": CharField(help_text="A held step that asks outside.")}
)
EditFutureRequest = shape(
    "EditFutureRequest",
    _REASON
    | {
        "edits": shape(
            "FutureEdit",
            {
                "do": Word("EditDo", ["insert_approve", "set_people", "remove"]),
                "after": CharField(
                    required=False, help_text="The step behind which one is added, or `start`."
                ),
                "name": CharField(
                    required=False, max_length=48, help_text="What the added step is called."
                ),
                "step": CharField(
                    required=False,
                    help_text="The step whose people change, or an added one to take out.",
                ),
                "who": ListField(child=CharField(), required=False, help_text=_LOGINS),
                "decide": Word("EditDecide", ["any", "all", "in_order"], required=False),
            },
        )(many=True, help_text="1 to 20, carried out in this order."),
        "task_version": IntegerField(
            required=False, help_text="Of the caller's own task, to be refused when it moved."
        ),
    },
)
InstanceAnswer = shape("InstanceAnswer", {"instance": InstanceRow()})

BulkRequest = shape(
    "BulkRequest",
    {
        "action": Word("BulkVerb", ["approve", "reject", "complete"]),
        "items": shape(
            "BulkItem",
            {
                "task": CharField(),
                "task_version": IntegerField(),
                "comment": CharField(required=False, max_length=2000),
            },
        )(many=True, help_text="1 to 100, each task once."),
        "comment": CharField(required=False, max_length=2000, help_text="Where a row has none."),
    },
)
BulkAnswer = shape(
    "BulkAnswer",
    {
        "results": shape(
            "BulkResult",
            {
                "task": CharField(),
                "ok": BooleanField(),
                "status": IntegerField(),
                "code": CharField(),
                "message": CharField(),
                "problem": AnyObject(allow_null=True, help_text="The whole problem document."),
            },
        )(many=True)
    },
)
