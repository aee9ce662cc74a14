"""`me`: who is signed in, what they may do, and their counters."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView

from flowadmin.directory import permissions
from flowadmin.home.counters import NAMES, counters_of

if TYPE_CHECKING:
    from django.http.response import HttpResponseBase
    from rest_framework.request import Request


class Me(APIView):
    """`GET /api/v1/me`: the signed-in person (contract, REST, `me`)."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(
        operation_id="me_read",
        responses=inline_serializer(
            "Me",
            {
                "user": serializers.CharField(),
                "name": serializers.CharField(),
                "tenant": serializers.CharField(),
                "language": serializers.CharField(),
                "permissions": serializers.ListField(child=serializers.CharField()),
                "counters": inline_serializer(
                    "Counters",
                    {name: serializers.IntegerField(max_value=999) for name in NAMES},
                ),
            },
        ),
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Computed for each request and stored nowhere; the ETag saves sending it again."""
        user: Any = request.user
        found = {
            "user": user.login,
            "name": user.name,
            "tenant": user.tenant.code,
            "language": user.language or get_language() or "",
            "permissions": sorted(permissions.granted(user)),
            "counters": counters_of(user),
        }
        etag = f'"{hashlib.sha256(json.dumps(found).encode()).hexdigest()[:32]}"'
        response = Response(found, headers={"ETag": etag, "Cache-Control": "private, no-cache"})
        patch_vary_headers(response, ["Authorization", "Cookie", "Accept-Language"])
        # Only the tag matters here; DRF renders the answer afterwards.
        same: HttpResponseBase | None = get_conditional_response(
            request._request,  # noqa: SLF001 - Django's function wants Django's request
            etag=etag,
            response=response,
        )
        return response if same is None else same
