"""What a person chooses: which notices go outside, when, and to which addresses of chats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from flowadmin.sealing import seal
from notifications import channels
from notifications.models import ChatAddress, Notice, OutsideHours, Route

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from flowadmin.directory.models import User
    from notifications.hours import Hours


def choose(*, user: User, kinds: Mapping[str, Collection[str]], hours: Hours) -> None:
    """Keep which kinds of notices this person wants by each medium, and his hours.

    ``kinds`` names every medium that was offered; what was chosen for others stays. Nothing that
    was written before is sent thereby.
    """
    wanted = {
        (kind, medium)
        for medium, chosen in kinds.items()
        for kind in chosen
        if kind in Notice.Kind.values
    }
    with transaction.atomic():
        OutsideHours.objects.update_or_create(
            user=user,
            defaults={
                "quiet_from": hours.quiet_from,
                "quiet_to": hours.quiet_to,
                "quiet_days": "".join(map(str, sorted(hours.quiet_days))),
                "digest": hours.digest,
                "digest_hour": hours.digest_hour,
            },
        )
        kept = set(
            Route.objects.filter(user=user, medium__in=list(kinds)).values_list("kind", "medium")
        )
        for kind, medium in kept - wanted:
            Route.objects.filter(user=user, kind=kind, medium=medium).delete()
        # The race: the same form from two windows. What is there already stays.
        Route.objects.bulk_create(
            [Route(user=user, kind=kind, medium=medium) for kind, medium in wanted - kept],
            ignore_conflicts=True,
        )


def keep_address(*, user: User, medium: str, text: str, now: datetime) -> None:
    """Seal a person's own address in a chat, in the place of the one before.

    ``text`` is the address as the chat hands it out; ``now`` is the database's clock. Raises
    Problem 422 channel.address for any other address, so that nobody aims at another place.
    """
    if not channels.is_chat_address(medium, text):
        raise Problem(
            422, "channel.address", _("This is not an address as this chat hands it out.")
        )
    purpose = ChatAddress(user=user, medium=medium).purpose
    ChatAddress.objects.update_or_create(
        user=user, medium=medium, defaults={"sealed": seal(text, purpose), "changed_at": now}
    )


def forget_address(*, user: User, medium: str) -> bool:
    """Take a person's address in a chat away; whether there was one. What waits is dropped."""
    return bool(ChatAddress.objects.filter(user=user, medium=medium).delete()[0])
