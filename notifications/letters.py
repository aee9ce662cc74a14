"""What a message outside says: plain text in the reader's language, with the way to the task.

No more than the list in the app says, which shows the title of a request to whoever was told of
it. The text of a message of the process goes out only where the process itself asked for that
medium. Nothing else of a form is in it, since it leaves the house for a place that others read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from notifications.wording import kind_text, sentence_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from notifications.models import Notice

# The narrowest chat takes 2048 bytes (WeCom); some are left for the words around.
MOST_BYTES: Final = 1600
LONGEST_SUBJECT: Final = 150
MOST_IN_MAIL: Final = 50_000


@dataclass(frozen=True, slots=True)
class Letter:
    """Subject without line breaks, and body."""

    subject: str
    body: str


def letter_of(notices: Sequence[tuple[Notice, bool]], public_url: str, *, is_mail: bool) -> Letter:
    """One message about these notices, in the language that is active.

    Each with whether the process asked for this medium. The notices need their request, task,
    sender and who ended the task at hand. ``public_url`` is where people open this installation.
    """
    most = MOST_IN_MAIL if is_mail else MOST_BYTES
    if len(notices) == 1:
        notice, by_process = notices[0]
        subject = _("FlowAdmin: %(kind)s: %(title)s") % {
            "kind": kind_text(notice.kind),
            "title": _title(notice),
        }
        body = _about(notice, public_url, with_text=by_process)
        body = _cut(body, most) if by_process else body
    else:
        count = ngettext(
            "FlowAdmin: %(count)d notice for you", "FlowAdmin: %(count)d notices for you",
            len(notices),
        )  # fmt: skip
        subject = count % {"count": len(notices)}
        body = _list(notices, public_url, most)
    if is_mail:
        words = _("What comes here, and when, you choose at %(address)s")
        choose = f"{public_url}{reverse('outside')}"
        body = f"{body}\n\n-- \n{words % {'address': choose}}\n"
    return Letter(_line(subject)[:LONGEST_SUBJECT], body)


def _about(notice: Notice, public_url: str, *, with_text: bool) -> str:
    sentence = _line(sentence_of(notice))
    title = _title(notice)
    number = notice.instance.number if notice.instance is not None else ""
    lines = [sentence, *([f"{number} {title}".strip()] if title != sentence else [])]
    # In front of the text, which is cut when it is long.
    lines.append(_address(notice, public_url))
    if with_text and notice.text:
        lines += ["", notice.text]
    return "\n".join(lines)


def _list(notices: Sequence[tuple[Notice, bool]], public_url: str, most: int) -> str:
    parts: list[str] = []
    room = most
    for notice, _by_process in notices:
        part = _about(notice, public_url, with_text=False)
        room -= len(part.encode()) + 2
        if room < 0 and parts:
            break
        parts.append(part)
    left = len(notices) - len(parts)
    if left:
        more = ngettext("%(count)d more: %(address)s", "%(count)d more: %(address)s", left)
        parts.append(more % {"count": left, "address": f"{public_url}{reverse('notices')}"})
    return "\n\n".join(parts)


def _title(notice: Notice) -> str:
    title = notice.instance.title if notice.instance is not None else notice.title
    return _line(title or notice.title or sentence_of(notice))


def _address(notice: Notice, public_url: str) -> str:
    """To the notice, and from there to its task with the task's own permission check."""
    return f"{public_url}{reverse('notice', args=[notice.pk])}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, most: int) -> str:
    raw = text.encode()
    return text if len(raw) <= most else raw[:most].decode(errors="ignore") + " …"
