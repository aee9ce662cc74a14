"""The ASGI entrance for web servers."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

from flowadmin.checks import refuse_unsafe_start

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowadmin.settings")

application = get_asgi_application()
# A state that would lose work is refused here, before the first request.
refuse_unsafe_start()

from flowadmin.coordination.presence import Presence  # noqa: E402 - models need Django's set-up

Presence("web server").begin()
