"""Callbacks that a process itself asks for, on events of its steps (`on_event`, `post`).

Address, content and identity are fixed here, with the decision; whatever becomes of the process,
the target or the request afterwards changes none of them (seed 001, P37).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flowadmin.directory.models import User
from notifications import backoff
from notifications.actions.callback_rows import fresh_event_id
from notifications.models import Callback
from notifications.occasions import Occasion, occasions, step_of
from notifications.payloads import Told, payload, shown_values
from workflow.models import SPAN, Instance, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc.rules import EventPost
    from workflow.runtime.subscribers import Happened


def callbacks_of(happened: Happened) -> list[Callback]:
    """The rows that follow from one decision, not yet written.

    Nothing is asked of the database unless something is to be told. Moving a request to another
    version tells nobody of tasks that only changed their place (decision 22).
    """
    if not any(
        event.post for planned in happened.definition.plan.steps.values()
        for event in planned.step.on_event
    ):  # fmt: skip
        return []
    asked = [
        (occasion, post)
        for occasion in occasions(happened)
        if not occasion.moved
        for post in _posts(happened, occasion)
    ]
    if not asked:
        return []
    writer = _Writer(happened, {post.target for _occasion, post in asked if post.target})
    return [writer.row(occasion, post) for occasion, post in asked]


def _posts(happened: Happened, occasion: Occasion) -> Iterator[EventPost]:
    step = step_of(happened, occasion.step)
    for event in step.on_event if step is not None else ():
        if event.on == occasion.on and event.post is not None:
            yield event.post


def host_of(url: str) -> str:
    """Scheme, host and port of an address, by which receivers are kept apart."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()[:300]


class _Writer:
    """What all callbacks of one decision say alike, asked for once."""

    def __init__(self, happened: Happened, keys: set[str]) -> None:
        self.happened = happened
        facts = Instance.objects.values_list(
            "tenant__code", "definition__key", "version__number", "title"
        )
        # The tenant's own row beside the id: no statement goes without it.
        self.tenant, self.flow, self.version, self.title = facts.get(
            pk=happened.instance_id, tenant=happened.tenant_id
        )
        rows = Target.objects.filter(tenant=happened.tenant_id, key__in=keys) if keys else ()
        self.targets = {target.key: target for target in rows}
        self.actor = cache(self._actor)

    def _actor(self) -> str | None:
        if self.happened.actor_id is None:
            return None
        logins = User.objects.values_list("login", flat=True)
        return logins.get(pk=self.happened.actor_id)

    def row(self, occasion: Occasion, post: EventPost) -> Callback:
        """One callback. A target that is gone gives no address: it fails, and is seen to."""
        target = self.targets.get(post.target) if post.target else None
        url = target.url if target is not None else post.url or ""
        profile = target.profile if target is not None else "seed"
        event_id, happened = fresh_event_id(), self.happened
        told = self._told(event_id, occasion)
        allowed = target.fields if target is not None else ()
        shown = shown_values(happened.definition.form, happened.after.values, allowed)
        return Callback(
            tenant_id=happened.tenant_id,
            event_id=event_id,
            instance_id=happened.instance_id,
            task_id=told.task_id or None,
            initiator_id=happened.after.initiator,
            event=occasion.on,
            step=occasion.step,
            step_name=told.step_name,
            target=target,
            target_url=url,
            host=host_of(url),
            profile=profile,
            payload=payload(told, shown),
            status=Callback.Status.PENDING,
            max_attempts=backoff.round_length(profile),
            next_attempt_at=happened.at,
            created_at=happened.at,
            updated_at=happened.at,
        )

    def _told(self, event_id: str, occasion: Occasion) -> Told:
        happened = self.happened
        step = step_of(happened, occasion.step)
        return Told(
            event_id=event_id,
            event=occasion.on,
            at=happened.at,
            tenant=self.tenant,
            flow=self.flow,
            version=self.version,
            instance_id=happened.instance_id,
            number=happened.after.number,
            title=self.title,
            state=happened.after.status.value,
            step=occasion.step,
            step_name=step.name if step is not None else "",
            task_id=happened.instance_id * SPAN + occasion.seat if occasion.seat else 0,
            decision=occasion.decision,
            decided_by=self.actor() if occasion.seat else None,
            comment=occasion.comment,
        )
