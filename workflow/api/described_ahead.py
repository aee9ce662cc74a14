"""The shapes of `flows/{key}/preview` as the OpenAPI document tells them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from rest_framework.serializers import BooleanField, CharField, Field, Serializer

from workflow.api.described import AnyObject, Finding, Person, Step, may, shape

_Said = shape(
    "SaidAhead",
    {
        "code": CharField(),
        "person": Person(allow_null=True),
        "args": AnyObject(),
        "message": CharField(),
    },
)
_PersonAhead = shape("PersonAhead", {"stands_in_for": Person(allow_null=True)}, _Said)
_Goto = shape(
    "GotoAhead",
    {
        "taken": may(BooleanField, help_text="Null: it depends on something."),
        "questions": _Said(many=True),
        "depends_on": _Said(many=True),
    },
    _Said,
)
_BRANCH: dict[str, Field[Any, Any, Any, Any]] = {
    "id": CharField(),
    "name": CharField(),
    "taken": may(BooleanField, help_text="Null: it depends on something."),
    "otherwise": BooleanField(),
    "questions": _Said(many=True),
    "depends_on": _Said(many=True),
}


class BranchAhead(Serializer[Any]):
    """A way through a block."""

    def get_fields(self) -> dict[str, Field[Any, Any, Any, Any]]:
        # A branch holds steps, which hold branches: they are named only when they are asked for.
        return {**deepcopy(_BRANCH), "steps": StepAhead(many=True)}


StepAhead = shape(
    "StepAhead",
    {
        "step": shape("StepOfPath", {"kind": CharField()}, Step)(),
        "sure": BooleanField(),
        "now": BooleanField(),
        "mode": may(CharField, help_text="How several people decide; `draw`: one of them."),
        "people": _PersonAhead(many=True),
        "left_out": _Said(many=True),
        "passes": _Said(many=True),
        "unknown": _Said(many=True),
        "rule": _Said(allow_null=True),
        "ends": _Said(allow_null=True),
        "goto": _Goto(allow_null=True),
        "branches": BranchAhead(many=True),
    },
)
PreviewAnswer = shape(
    "PreviewAnswer", {"steps": StepAhead(many=True), "findings": Finding(many=True)}
)
PreviewRequest = shape(
    "PreviewRequest",
    {
        "form": AnyObject(required=False),
        "picked": AnyObject(required=False, help_text="{step: [login]}"),
    },
)
