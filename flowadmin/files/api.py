"""Files through REST: upload one, download it, delete it while nothing holds it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final

from django.http import FileResponse, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.views import APIView

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.files import access, disk, kinds, receiving, removing, storing
from flowadmin.files.naming import disposition
from flowadmin.rest.idempotency import Receipt, answer_once
from flowadmin.rest.problems import Problem, json_bytes, not_found

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase
    from rest_framework.request import Request

    from flowadmin.files.models import File
    from flowadmin.files.storing import Checked

ROUTE: Final = "files.upload"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")

_SHAPE: Any = inline_serializer(
    "UploadedFile",
    {
        "id": serializers.CharField(),
        "name": serializers.CharField(help_text="Cleaned: no path, no control characters."),
        "size": serializers.IntegerField(help_text="Bytes."),
        "type": serializers.CharField(help_text="Found in the content, not told by the sender."),
        "sha256": serializers.CharField(),
    },
)
_FORM: Final = {
    "type": "object",
    "properties": {"file": {"type": "string", "format": "binary"}},
    "required": ["file"],
}
_KEY_HEADER: Final = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    required=False,
    description="1 to 128 visible ASCII characters; a repeated upload gets its first answer.",
)


class Files(APIView):
    """`files/`."""

    parser_classes = (receiving.Unread,)

    @extend_schema(
        operation_id="files_upload",
        parameters=[_KEY_HEADER],
        request={"multipart/form-data": _FORM},
        responses={201: _SHAPE},
    )
    def post(self, request: Request) -> HttpResponse:
        """Store one file of at most 10 MiB; whoever does not use it within a day loses it.

        The Idempotency-Key is optional (interface.md, section 9, names where it is required): an
        upload that is repeated makes a second unbound file, which changes nothing for anybody
        and is deleted after a day.
        """
        user = _caller(request)
        key = _key(request)
        with disk.Incoming(user.tenant_id) as incoming:
            name = receiving.read_upload(request, incoming)
            checked = storing.check(incoming, name)
            # Read now and not before: an upload may take minutes.
            now = clock.now()

            def act() -> tuple[int, Any]:
                file = storing.keep(
                    incoming, checked, tenant_id=user.tenant_id, owner_id=user.pk, now=now
                )
                return 201, storing.shape(file)

            if key:
                answer = answer_once(_receipt(request, user, key, checked), now, act)
            else:
                status, value = act()
                answer = HttpResponse(json_bytes(value), status=status)
        return _worded(answer)


class FileDetail(APIView):
    """`files/{id}/`."""

    @extend_schema(
        operation_id="files_download",
        responses={(200, kinds.OCTETS): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: str) -> HttpResponseBase:
        """The bytes, always as a download, whatever they are."""
        file = access.readable(_caller(request), pk)
        return _download(file)

    @extend_schema(operation_id="files_delete", responses={204: None})
    def delete(self, request: Request, pk: str) -> HttpResponse:
        """Delete one's own file that no request holds; for good."""
        removing.remove(_caller(request), pk)
        return HttpResponse(status=204)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:  # noqa: FBT001, FBT002  # theirs
        """A file has one form; what an image element or a script accepts is not asked."""
        del force
        return super().perform_content_negotiation(request, force=True)


def _download(file: File) -> FileResponse:
    """The answer with a file's bytes, which no browser runs, shows in place or keeps.

    Raises Problem 404 when it has just been deleted, 503 file.storage.
    """
    try:
        content = disk.opened(file.tenant_id, file.id)
    except FileNotFoundError as error:
        # The race: it was deleted since its row was read. Otherwise the bytes are lost.
        if type(file).objects.filter(pk=file.pk).exists():
            raise disk.storage_fails() from error
        raise not_found() from error
    response = FileResponse(content, content_type=kinds.served_as(file.media_type))
    response.block_size = 64 * 1024
    response["Content-Disposition"] = disposition(file.name)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, no-store"
    return response


def _caller(request: Request) -> User:
    """Who is calling; every view stands behind IsAuthenticated."""
    user = request.user
    if not isinstance(user, User):
        message = "A view of files was reached without signing in."
        raise TypeError(message)
    return user


def _key(request: Request) -> str:
    """The Idempotency-Key, empty without one. Raises Problem 400 idempotency.bad."""
    key: str = request.headers.get("Idempotency-Key", "")
    if key and not _KEY.fullmatch(key):
        raise Problem(
            400,
            "idempotency.bad",
            _("An idempotency key is 1 to 128 visible ASCII characters."),
        )
    return key


def _receipt(request: Request, user: User, key: str, checked: Checked) -> Receipt:
    """The receipt over name and content: boundaries differ each time a form is sent."""
    parts = (request.path, checked.name, checked.arrived.sha256)
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return Receipt(user.pk, user.tenant_id, ROUTE, key, digest)


def _worded(answer: HttpResponse) -> HttpResponse:
    answer["Content-Type"] = "application/json"
    answer["Cache-Control"] = "private, no-cache"
    answer["Location"] = reverse("api-file", args=[json.loads(answer.content)["id"]])
    return answer
