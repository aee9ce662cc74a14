"""The shapes of `instances/{id}/explain/` as the OpenAPI document tells them."""

from __future__ import annotations

from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
)

from workflow.api.described import AnyObject, Person, Step, Word, may, shape

_Because = shape(
    "EntryReason",
    {
        "code": Word(
            "EntryReasonCode",
            ["filed", "forward", "returned", "resumed", "goto", "jump", "timeout", "migrated"],
        ),
        "message": CharField(),
    },
)
_Question = shape(
    "Question",
    {
        "kind": CharField(),
        "asked": CharField(required=False),
        "op": CharField(required=False),
        "expected": CharField(required=False),
        "seen": CharField(required=False),
        "held": BooleanField(required=False),
        "no_value": BooleanField(required=False),
        "hidden": BooleanField(required=False, help_text="True: of a field you may not see."),
        "message": CharField(),
    },
)
_Condition = shape(
    "ConditionDecided",
    {
        "code": Word(
            "ConditionCode", ["branch_taken", "branch_left", "goto_taken", "goto_not_taken"]
        ),
        "step": CharField(),
        "branch": shape("BranchOfStep", {"id": CharField(), "name": CharField()})(allow_null=True),
        "questions": _Question(many=True),
    },
)
_Reason = shape(
    "StoredReason",
    {
        "code": CharField(),
        "person": Person(allow_null=True),
        "task": may(CharField),
        "args": AnyObject(),
        "message": CharField(),
    },
)
_Asked = shape(
    "PersonAsked",
    {
        "stands_in_for": Person(allow_null=True),
        "held_before": Person(many=True),
        "state": may(CharField),
        "state_text": CharField(),
    },
    _Reason,
)
_Votes = shape(
    "StepVotes",
    {
        "for": IntegerField(),
        "against": IntegerField(),
        "open": IntegerField(),
        "needed": IntegerField(),
        "message": CharField(),
    },
)
_Ending = shape(
    "Ending",
    {
        "at": DateTimeField(),
        "state": CharField(),
        "reason": CharField(),
        "task": may(CharField),
        "conditions": _Condition(many=True),
        "message": CharField(),
    },
)
_StepExplained = shape(
    "StepExplained",
    {
        "activation": IntegerField(),
        "step": shape("StepEntered", {"kind": CharField()}, Step)(),
        "round": IntegerField(),
        "within": may(IntegerField, help_text="The activation of the block around it."),
        "branch": may(CharField),
        "entered_at": DateTimeField(),
        "because": _Because(),
        "conditions": _Condition(many=True),
        "people": _Asked(many=True),
        "left_out": _Reason(many=True),
        "rules": _Reason(many=True),
        "incidents": _Reason(many=True),
        "votes": _Votes(allow_null=True),
        "ended": _Ending(allow_null=True),
    },
)
Explained = shape(
    "Explained",
    {"id": CharField(), "steps": _StepExplained(many=True), "ended": _Ending(allow_null=True)},
)
