"""What the OpenAPI document says about every operation: headers, problems, ways to sign in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAFE = {"GET", "HEAD", "OPTIONS"}
_PROBLEMS_OF_READS = (400, 401, 403, 404, 503)
_PROBLEMS_OF_WRITES = (400, 401, 403, 404, 409, 412, 413, 415, 422, 428, 429, 503)
_METHODS = {"get", "post", "put", "patch", "delete"}


class Schema(AutoSchema):
    """Adds the headers that a view announces by its attributes.

    ``needs_key``: its writes take ``Idempotency-Key``; ``may_have_key``: a POST may carry one;
    ``needs_version``: its writes take
    ``If-Match``; ``sends_etag``: its answers carry ``ETag``.

    Source: interface.md section 9 (headers declared).
    """

    def get_override_parameters(self) -> list[Any]:
        """The header parameters of this operation."""
        return [*super().get_override_parameters(), *self._headers()]

    def _headers(self) -> Iterator[OpenApiParameter]:
        writes = self.method.upper() not in _SAFE
        needs_key = getattr(self.view, "needs_key", False)
        if writes and (needs_key or getattr(self.view, "may_have_key", False)):
            yield OpenApiParameter(
                "Idempotency-Key",
                str,
                OpenApiParameter.HEADER,
                required=needs_key,
                description=_("1 to 128 visible ASCII characters, new for each command."),
            )
            yield OpenApiParameter(
                "Idempotency-Replayed",
                str,
                OpenApiParameter.HEADER,
                response=True,
                description=_("“true” when this is the stored first answer."),
            )
        if writes and getattr(self.view, "needs_version", False):
            yield OpenApiParameter(
                "If-Match",
                str,
                OpenApiParameter.HEADER,
                description=_('The version that the caller saw, in quotes: "3".'),
            )
        if getattr(self.view, "sends_etag", False):
            yield OpenApiParameter(
                "ETag",
                str,
                OpenApiParameter.HEADER,
                response=True,
                description=_("The version of the row, in quotes."),
            )


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers
    """Describes our token authentication."""

    target_class = "flowadmin.rest.authentication.ExpiringTokenAuthentication"
    name = "token"

    def get_security_definition(self, _auto_schema: AutoSchema) -> dict[str, Any]:
        """The security scheme object."""
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": _("“Token” and a token made by manage.py api_token."),
        }


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers
    """Describes our session authentication."""

    target_class = "flowadmin.rest.authentication.BrowserSessionAuthentication"
    name = "session"

    def get_security_definition(self, _auto_schema: AutoSchema) -> dict[str, Any]:
        """The security scheme object."""
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


def add_problems(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Post-processing hook: every operation may answer a problem document.

    Operations keep what they declare themselves.
    """
    components = result.setdefault("components", {})
    components.setdefault("schemas", {}).update({"Finding": _FINDING, "Problem": _PROBLEM})
    components.setdefault("responses", {})["Problem"] = {
        "description": "A problem document (RFC 9457).",
        "headers": {
            "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."},
            "X-Request-Id": {"schema": {"type": "string"}},
        },
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        },
    }
    for path in result.get("paths", {}).values():
        for method, operation in path.items():
            if method in _METHODS:
                _add_to(operation, writes=method != "get")
    return result


def _add_to(operation: dict[str, Any], *, writes: bool) -> None:
    responses = operation.setdefault("responses", {})
    for status in _PROBLEMS_OF_WRITES if writes else _PROBLEMS_OF_READS:
        responses.setdefault(str(status), {"$ref": "#/components/responses/Problem"})


_FINDING: dict[str, Any] = {
    "type": "object",
    "required": ["code", "at", "step", "level", "args", "message"],
    "properties": {
        "code": {"type": "string"},
        "at": {"type": "string", "description": "JSON Pointer into the body."},
        "step": {"type": ["string", "null"]},
        "level": {"type": "string", "enum": ["error", "warning"]},
        "args": {"type": "object", "additionalProperties": {"type": ["string", "integer"]}},
        "message": {"type": "string"},
    },
}
_PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "instance", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string", "description": "The number of the request."},
        "code": {"type": "string"},
        "errors": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}},
        "retry_after": {"type": "integer", "description": "Seconds."},
        "current_version": {"type": "integer"},
        "changed_by": {"type": "string"},
        "changed_at": {"type": "string", "format": "date-time"},
        "handled_by": {"type": "string"},
        "handled_at": {"type": "string", "format": "date-time"},
        "decision": {"type": "string"},
    },
    "additionalProperties": True,
}
