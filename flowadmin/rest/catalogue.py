"""The table of problem codes: each has a title and a sentence that says what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Description:
    """What the page ``/problems/<code>`` says about one code."""

    code: str
    title: StrOrPromise
    text: StrOrPromise


_DESCRIPTIONS: dict[str, Description] = {}

_STATUS_TITLES: dict[int, StrOrPromise] = {
    400: _("The request is malformed"),
    401: _("You are not signed in"),
    403: _("You may not do this"),
    404: _("Not found"),
    405: _("This method is not allowed here"),
    406: _("No acceptable representation"),
    409: _("The state has changed"),
    410: _("Gone"),
    411: _("The length is missing"),
    412: _("The version has moved"),
    413: _("The request is too large"),
    415: _("The media type is not supported"),
    422: _("The request breaks a rule"),
    423: _("Locked"),
    428: _("A precondition is required"),
    429: _("Too soon"),
    500: _("Something went wrong on our side"),
    503: _("The service is busy"),
}


def describe(code: str, title: StrOrPromise, text: StrOrPromise = "") -> None:
    """Enter one code into the table; each app describes its own codes when it is loaded.

    Args:
        code: lower-case words joined by full stops, stable for ever, never translated.
        title: one short line, lazily translated.
        text: one or two sentences: what it means and what to do.

    Raises:
        ValueError: the code is described already; two meanings for one address would lie.

    Source: interface.md section 9 (``type`` is a documented, stable page).
    """
    if code in _DESCRIPTIONS:
        raise ValueError(f"The problem code {code!r} is described twice.")
    _DESCRIPTIONS[code] = Description(code, title, text)


def description_of(code: str) -> Description | None:
    """The entry of one code, or None when nobody described it."""
    return _DESCRIPTIONS.get(code)


def described() -> tuple[Description, ...]:
    """All entries by code, for the page that lists them."""
    return tuple(_DESCRIPTIONS[code] for code in sorted(_DESCRIPTIONS))


def title_of(code: str, status: int) -> str:
    """The translated title of a code; an undescribed code gets the title of its status."""
    entry = _DESCRIPTIONS.get(code)
    if entry is not None:
        return str(entry.title)
    fallback = _STATUS_TITLES[500] if status >= 500 else _STATUS_TITLES[400]
    return str(_STATUS_TITLES.get(status, fallback))


_JSON = _("The body is not acceptable JSON")
_VERSION = _("The version you saw is needed")
_KEY = _("The idempotency key cannot be used")
_QUERY = _("A query parameter is not acceptable")

for _code, _title, _text in (
    ("json.encoding", _JSON, _("Send UTF-8 without a byte order mark.")),
    ("json.broken", _JSON, _("The answer gives the line and column where reading stopped.")),
    ("json.number", _JSON, _("NaN and Infinity are not JSON.")),
    (
        "json.float",
        _JSON,
        _('Write numbers that have a fraction or an exponent as decimal text, such as "12.50".'),
    ),
    ("json.integer", _JSON, _("Integers beyond ±2^53 lose digits: write them as text.")),
    ("json.duplicate", _JSON, _("A member name may stand only once in an object.")),
    ("json.text", _JSON, _("Text must not hold NUL, control characters or half surrogates.")),
    ("json.key", _JSON, _("A member name has at most 128 characters.")),
    ("json.long", _JSON, _("A text value has at most 64 KiB.")),
    ("json.deep", _JSON, _("Arrays and objects are nested deeper than this address accepts.")),
    ("json.nodes", _JSON, _("A body holds at most 20,000 values.")),
    ("json.object", _JSON, _("The outermost value must be an object.")),
    ("body.too_large", _STATUS_TITLES[413], _("A JSON body has at most 1 MiB.")),
    ("body.length", _STATUS_TITLES[411], _("Send a Content-Length header, not chunks.")),
    ("body.broken_off", _STATUS_TITLES[400], _("The body ended before its announced length.")),
    (
        "request.invalid",
        _STATUS_TITLES[400],
        _("Members are missing, unknown or of another kind."),
    ),
    ("request.refused", _STATUS_TITLES[400], _("The request was refused before it was read.")),
    ("auth.required", _STATUS_TITLES[401], _("Sign in, or send a valid token.")),
    ("auth.failed", _STATUS_TITLES[401], _("The token is unknown, expired or withdrawn.")),
    ("csrf.failed", _STATUS_TITLES[403], _("Reload the page and try again.")),
    ("permission.denied", _STATUS_TITLES[403], _("Ask an administrator for the permission.")),
    ("not_found", _STATUS_TITLES[404], _("It does not exist, or you may not know of it.")),
    ("method.not_allowed", _STATUS_TITLES[405], _("The Allow header lists the methods.")),
    ("accept.unsupported", _STATUS_TITLES[406], _("This address answers JSON.")),
    ("media_type.unsupported", _STATUS_TITLES[415], _("Send application/json in UTF-8.")),
    ("rate.limited", _STATUS_TITLES[429], _("The Retry-After header says how long to wait.")),
    ("precondition.missing", _VERSION, _("Send If-Match, or task_version in the body.")),
    ("precondition.malformed", _VERSION, _('Write the version as If-Match: "3".')),
    ("precondition.disagree", _VERSION, _("If-Match and task_version name two versions.")),
    ("idempotency.missing", _KEY, _("Commands need an Idempotency-Key header.")),
    ("idempotency.bad", _KEY, _("A key is 1 to 128 visible ASCII characters.")),
    ("idempotency.other_body", _KEY, _("This key was used for another request.")),
    ("idempotency.busy", _KEY, _("The first request with this key has not ended yet.")),
    ("query.unknown", _QUERY, _("The address does not know this parameter.")),
    ("query.malformed", _QUERY, _("The value of a parameter cannot be read.")),
    ("database.busy", _STATUS_TITLES[503], _("Nothing was stored. Try again in a moment.")),
    ("server.error", _STATUS_TITLES[500], _("Tell an operator the number of the request.")),
):
    describe(_code, _title, _text)
