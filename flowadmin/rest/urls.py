"""Addresses of the front door itself: the OpenAPI document and the pages of problem codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import path
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import IsAuthenticated

from flowadmin.rest import pages
from flowadmin.rest.pagination import unknown_parameters

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.response import Response


class SchemaView(SpectacularAPIView):
    """The OpenAPI document, for people who are signed in; JSON unless YAML is asked for."""

    permission_classes = (IsAuthenticated,)
    renderer_classes = [
        OpenApiJsonRenderer2,
        OpenApiJsonRenderer,
        OpenApiYamlRenderer,
        OpenApiYamlRenderer2,
    ]
    schema = None

    def get(self, request: Request, *_args: object, **_kwargs: object) -> Response:
        """Answer the document; the language is that of the request, not a parameter."""
        unknown_parameters(request, {"format"})
        response: Response = self._get_schema_response(request)  # type: ignore[no-untyped-call]  # theirs
        return response


urlpatterns = [
    path("api/v1/schema/", SchemaView.as_view(), name="schema"),
    path("problems/", pages.explain_all, name="problems"),
    path("problems/<str:code>", pages.explain, name="problem"),
]
