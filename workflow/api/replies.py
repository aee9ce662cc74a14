"""Answers that `http` steps wait for: a secret address instead of a signed-in caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.serializers import BooleanField
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.rest.problems import Problem, not_found, too_large
from workflow.api.answers import json_answer
from workflow.api.described import shape
from workflow.engine.requesting import BROKEN, parse_json
from workflow.runtime import replies

if TYPE_CHECKING:
    from django.http import HttpResponse
    from rest_framework.request import Request

# As much as is read of an answer to a call of ours.
LONGEST = 64 * 1024
LONGEST_TOKEN = 64

ReplyAnswer = shape("HttpReplyAnswer", {"accepted": BooleanField()})


class HttpReply(APIView):
    """`http-replies/{token}/`: the answer to one call, given once, by whoever knows the token."""

    authentication_classes = ()
    permission_classes = ()

    @extend_schema(
        operation_id="http_replies_create",
        auth=[],
        request={"application/json": {"type": "object"}},
        responses=ReplyAnswer,
    )
    def post(self, request: Request, token: str) -> HttpResponse:
        """Refused in this order: 413, 404 (no such token), 410 (used, or over), 400, 422.

        The same bytes again are answered as the first time; nothing happens twice. Fractions are
        taken as they are written, so this address reads its own JSON.
        """
        body = request._request.body  # noqa: SLF001 - documented by DRF as the original request
        if len(body) > LONGEST:
            raise too_large()
        if len(token) > LONGEST_TOKEN:
            raise not_found()
        try:
            replies.reply(token, body, clock.now())
        except replies.NoSuchReply:
            raise not_found() from None
        except replies.ReplyOver:
            raise Problem(
                410, "reply.over", _("This answer was given already, or nobody waits for it.")
            ) from None
        except replies.ReplyRefused as refused:
            raise _unfit(body, refused.at) from None
        return json_answer({"accepted": True})


def _unfit(body: bytes, at: str) -> Problem:
    if parse_json(body) is BROKEN:
        return Problem(400, "json.broken", _("The body is not JSON."))
    message = _("This part is missing or of another type.")
    errors = [{"code": "http.bad_answer", "at": at, "args": {}, "message": message}]
    return Problem(
        422, "http.bad_answer", _("The answer is not what the step asks for."), errors=errors
    )
