"""The shapes of trying out a design, as the OpenAPI document tells them."""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import CharField, IntegerField, ListField

from workflow.api.described import AnyObject, Step, Word, may, shape
from workflow.api.described_ahead import PreviewAnswer
from workflow.whatif import OUTCOMES

_NAMED = shape("NamedPart", {"id": CharField(), "name": CharField()})
_PROPOSED: dict[str, Any] = {
    "document": AnyObject(help_text="A flowdoc 1, as it stands in the designer."),
    "form": AnyObject(allow_null=True, required=False, help_text="A formdoc 1, or null."),
}
TryRequest = shape(
    "TryRequest",
    _PROPOSED
    | {
        "starter": CharField(required=False, help_text="A login name; oneself without it."),
        "values": AnyObject(required=False, help_text="Sample values by field."),
        "picked": AnyObject(required=False, help_text="{step: [login]}"),
    },
)
TryAnswer = shape(
    "TryAnswer",
    {
        "count": IntegerField(help_text="Steps that surely come."),
        "refusal": may(CharField, help_text="Why the starter may not file it."),
        "fields": ListField(child=CharField(), help_text="What the starter may fill in."),
        "picks": _NAMED(many=True, help_text="The steps for which the starter picks people."),
    },
    PreviewAnswer,
)
RecordRequest = shape("RecordRequest", {"name": CharField(max_length=100)}, TryRequest)
RecordAnswer = shape("RecordAnswer", {"scenario": AnyObject()})
WhatIfRequest = shape(
    "WhatIfRequest",
    _PROPOSED | {"last": IntegerField(required=False, min_value=1, max_value=200)},
)
WhatIfAnswer = shape(
    "WhatIfAnswer",
    {
        "looked_at": IntegerField(),
        "counts": AnyObject(help_text="Requests by `comparison`."),
        "reasons": AnyObject(help_text="Requests by why they cannot be decided."),
        "branches": shape(
            "BranchCounts",
            {
                "step": Step(),
                "branch": _NAMED(),
                "past": IntegerField(),
                "candidate": IntegerField(),
            },
        )(many=True),
        "examples": shape(
            "WhatIfExample",
            {
                "id": CharField(),
                "number": CharField(),
                "title": CharField(),
                "url": CharField(),
                "comparison": Word("Comparison", OUTCOMES),
                "step": Step(allow_null=True),
                "code": CharField(),
            },
        )(many=True),
    },
)
