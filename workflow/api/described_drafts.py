"""The shapes of both kinds of draft, as the OpenAPI document tells them."""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
    JSONField,
    ListField,
)

from workflow.api.described import AnyObject, Finding, Person, may, shape

_ROW: dict[str, Any] = {
    "id": CharField(),
    "version": IntegerField(help_text="Of the draft; If-Match takes it."),
    "name": CharField(),
    "flow": CharField(help_text="Key of the process; empty where it has none yet."),
    "based_on": may(IntegerField, help_text="The published version that it began with."),
    "problem_count": IntegerField(help_text="Errors when it was saved."),
    "live_version": may(IntegerField, help_text="What new requests begin with now."),
    "moved": BooleanField(help_text="Another version is live than the one it began with."),
    "owner": Person(),
    "created_at": DateTimeField(),
    "updated_at": DateTimeField(),
}
_CONTENT: dict[str, Any] = {
    "document": AnyObject(help_text="A flowdoc 1, as far as it got."),
    "form": AnyObject(allow_null=True, required=False, help_text="A formdoc 1, or null."),
    "view": AnyObject(required=False, help_text="What the designer remembers of its look."),
    "scenarios": ListField(
        child=AnyObject(),
        required=False,
        allow_null=True,
        help_text="Null: those of the published version. Left out of a save, they stay.",
    ),
}
_WHOLE: dict[str, Any] = {
    "document": _CONTENT["document"],
    "form": AnyObject(allow_null=True),
    "view": AnyObject(),
    "scenarios": ListField(child=AnyObject(), allow_null=True),
}
DesignDraftRow = shape("DesignDraftRow", _ROW)
DesignDraft = shape(
    "DesignDraft",
    {
        **_WHOLE,
        "problems": Finding(many=True),
        "live": shape(
            "LiveVersion",
            {
                "version": IntegerField(),
                "digest": CharField(),
                "note": CharField(),
                "published_by": Person(allow_null=True),
                "published_at": DateTimeField(),
            },
        )(allow_null=True),
        "changes": may(
            JSONField,
            help_text="How many parts it adds, removes, moves and changes in the live version.",
        ),
        "others": shape(
            "OtherDraft",
            {
                "owner": Person(),
                "based_on": may(IntegerField),
                "updated_at": DateTimeField(),
            },
        )(many=True, help_text="Whose drafts of the same process there are."),
    },
    DesignDraftRow,
)
_NAME = CharField(required=False, max_length=128)
DesignDraftNew = shape(
    "DesignDraftNew",
    {
        "name": _NAME,
        "template": CharField(required=False, help_text="blank, leave, expense or purchase."),
        "flow": CharField(required=False, help_text="Key of a published process."),
        "flow_version": IntegerField(required=False, help_text="With `flow`; else the live one."),
        "draft": CharField(required=False, help_text="A draft of one's own to copy."),
        "document": AnyObject(required=False, help_text="One of these four has to be there."),
        "form": _CONTENT["form"],
        "view": _CONTENT["view"],
        "scenarios": _CONTENT["scenarios"],
    },
)
DesignDraftWhole = shape("DesignDraftWhole", {"name": _NAME, **_CONTENT})
DesignDraftPart = shape(
    "DesignDraftPart", {"name": _NAME, **_CONTENT, "document": AnyObject(required=False)}
)

_APPLICATION: dict[str, Any] = {
    "id": CharField(),
    "version": IntegerField(help_text="Of the draft; If-Match takes it."),
    "name": CharField(),
    "flow": CharField(help_text="Key of the process."),
    "deployment": CharField(help_text="Digest of the version whose form was filled in."),
    "based_on": may(IntegerField, help_text="The number of that version."),
    "live_deployment": may(CharField, help_text="Digest of the version that is live now."),
    "live_version": may(IntegerField),
    "restorable": BooleanField(help_text="False when another version is live by now."),
    "created_at": DateTimeField(),
    "updated_at": DateTimeField(),
}
_TYPED: dict[str, Any] = {
    "values": AnyObject(required=False, help_text="By field id, as typed, right or wrong."),
    "picked": AnyObject(required=False, help_text="{step: [login]}"),
}
_TYPED_INTO: dict[str, Any] = {
    "name": _NAME,
    "deployment": CharField(
        required=False,
        help_text="Digest of the version whose form was filled in; it has to be live. "
        "Without it a new draft belongs to the live version, a saved one to its own still.",
    ),
}
ApplicationDraftRow = shape("ApplicationDraftRow", _APPLICATION)
ApplicationDraft = shape(
    "ApplicationDraft", {"values": AnyObject(), "picked": AnyObject()}, ApplicationDraftRow
)
ApplicationDraftPart = shape("ApplicationDraftPart", _TYPED | _TYPED_INTO)
ApplicationDraftNew = shape("ApplicationDraftNew", {"flow": CharField()}, ApplicationDraftPart)
