"""Why a person was asked, or was not: sources, substitutes and rules, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workflow.engine.flowdoc.people import (
    BaseOf,
    ByFormDepartmentHead,
    ByFormUsers,
    ByHead,
    ByHeadChain,
    ByManager,
)
from workflow.engine.flowdoc.rules import EmptyPeople
from workflow.engine.flowdoc.steps import CopyStep, HumanStep, NoticeStep
from workflow.wording.reasons import field_label
from workflow.wording.states import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django_stubs_ext import StrOrPromise

    from workflow.engine.events import Chosen, Dropped
    from workflow.engine.flowdoc.people import AnySource, People
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.engine.state import Origin
    from workflow.wording.following import Reader

_CHOSEN: dict[str, StrOrPromise] = {
    "user": gettext_lazy("%(person)s: named in the process"),
    "role": gettext_lazy("%(person)s: role %(of)s"),
    "group": gettext_lazy("%(person)s: group %(of)s"),
    "post": gettext_lazy("%(person)s: post %(of)s"),
    "department": gettext_lazy("%(person)s: member of %(of)s"),
    "head": gettext_lazy("%(person)s: head of %(of)s"),
    "head_chain": gettext_lazy("%(person)s: head of %(of)s"),
    "form_department_head": gettext_lazy("%(person)s: head of %(of)s, as the form says"),
    "manager": gettext_lazy("%(person)s: superior, level %(of)s"),
    "initiator": gettext_lazy("%(person)s: filed the request"),
    "head_instead_of_initiator": gettext_lazy(
        "%(person)s: head of %(of)s, instead of the person who filed the request"
    ),
    "picked_at_start": gettext_lazy("%(person)s: chosen when the request was filed"),
    "picked_by": gettext_lazy("%(person)s: chosen in “%(of)s”"),
    "form_users": gettext_lazy("%(person)s: named in the field “%(of)s”"),
    "deciders_of": gettext_lazy("%(person)s: decided “%(of)s”"),
    "rule": gettext_lazy("%(person)s: named by the rule %(of)s"),
    "by_hand": gettext_lazy("%(person)s: named by hand"),
}
# The same where the field that led to a person is hidden from the reader.
_CHOSEN_UNSEEN = gettext_lazy("%(person)s: found by a field that you may not see")
_ORIGINS: dict[str, StrOrPromise] = {
    "added": gettext_lazy("%(person)s: added by %(by)s"),
    "delegated": gettext_lazy("%(person)s: asked for an opinion by %(by)s"),
    "named": gettext_lazy("%(person)s: named by %(by)s"),
    "taken_back": gettext_lazy("%(person)s: took the decision back and decides again"),
}
_DROPPED: dict[str, StrOrPromise] = {
    "disabled": gettext_lazy("%(person)s was left out: the account is disabled"),
    "excluded": gettext_lazy("%(person)s was left out: the process excludes this person"),
    "is_initiator": gettext_lazy("%(person)s was left out: this person filed the request"),
    "beyond_cap": gettext_lazy("%(person)s was left out: the step takes no more people"),
    "unknown": gettext_lazy("%(person)s was left out: there is nobody with this login name"),
    "not_drawn": gettext_lazy("%(person)s was left out: somebody else was drawn"),
    "absent": gettext_lazy("%(person)s was left out: absent"),
    "absent_in_circle": gettext_lazy(
        "%(person)s was left out: absent, and the substitutes stand in for each other"
    ),
    "absent_chain_too_long": gettext_lazy(
        "%(person)s was left out: absent, and too many substitutes are absent too"
    ),
}
_WHEN_EMPTY: dict[str, StrOrPromise] = {
    "people": gettext_lazy("Nobody was found, so the people named for this case were asked"),
    "managers": gettext_lazy("Nobody was found, so the managers of the process were asked"),
    "approve": gettext_lazy("Nobody was found, so the step was passed over"),
    "reject": gettext_lazy("Nobody was found, so the step was rejected"),
    "hold": gettext_lazy("Nobody was found, so a manager has to name somebody"),
    "refuse_start": gettext_lazy("Nobody was found, so a manager has to name somebody"),
}
# A source → what `of` names; every other source names nothing that has a title.
TITLED = {
    "role": "role",
    "group": "group",
    "post": "post",
    "department": "department",
    "head": "department",
    "head_chain": "department",
    "form_department_head": "department",
    "head_instead_of_initiator": "department",
}
_STEPS = frozenset({"picked_by", "deciders_of"})


def chosen_text(why: Chosen, step: AnyStep | None, reader: Reader) -> str:
    """Which source gave this person a task, and for whom a substitute stands in."""
    person = reader.person(why.user)
    if why.instead_of:
        substitute = _("%(person)s (stands in for %(absent)s)")
        person = substitute % {"person": person, "absent": reader.person(why.instead_of)}
    if is_unseen(why, step, reader):
        return str(_CHOSEN_UNSEEN) % {"person": person}
    text = _CHOSEN.get(why.by)
    if text is None:
        return f"{person}: {why.by} {why.of}".rstrip()
    return str(text) % {"person": person, "of": _of(why, reader)}


def is_unseen(why: Chosen, step: AnyStep | None, reader: Reader) -> bool:
    """Whether a field led to this person that the reader may not see.

    The history keeps the kind of a source, not its place: of two sources of one kind the one with
    the hidden field is assumed.
    """
    return any(
        source.by == why.by and not reader.shows_field(name)
        for people in _all_people(step)
        for source in people.any_of
        for name in _fields_of(source)
    )


def origin_text(user: int, origin: Origin, by: int, reader: Reader) -> str:
    """How somebody came to a seat whom no source gave."""
    text = _ORIGINS.get(origin)
    person = reader.person(user)
    if text is None:
        return person
    return str(text) % {"person": person, "by": reader.person(by) if by else _("The system")}


def dropped_text(why: Dropped, reader: Reader) -> str:
    """Why this person got no task."""
    person = why.login or reader.person(why.user)
    text = _DROPPED.get(why.why)
    return f"{person}: {why.why}" if text is None else str(text) % {"person": person}


def when_empty_text(word: str) -> str:
    """What the empty rule did about it that nobody was found; empty when somebody was."""
    return str(_WHEN_EMPTY.get(word, word))


def _of(why: Chosen, reader: Reader) -> str:
    """Names instead of codes, where they are known; a role source names several at once."""
    if why.by in _STEPS:
        return reader.step(why.of)
    if why.by == "form_users":
        return field_label(reader.definition, why.of, reader.language)
    kind = TITLED.get(why.by)
    if kind is None:
        return why.of
    return listed(reader.titles.get((kind, code), code) for code in why.of.split(", "))


def _all_people(step: AnyStep | None) -> Iterator[People]:
    if isinstance(step, HumanStep | CopyStep | NoticeStep):
        yield step.who
    if isinstance(step, HumanStep):
        rule = step.on_empty
        while isinstance(rule, EmptyPeople):
            yield rule.who
            rule = rule.then


def _fields_of(source: AnySource) -> Iterator[str]:
    """The fields of the form that a source reads."""
    if isinstance(source, ByFormUsers | ByFormDepartmentHead):
        yield source.field
    elif (
        isinstance(source, ByHead | ByHeadChain | ByManager)
        and isinstance(source.of, BaseOf)
        and source.of.field is not None
    ):
        yield source.of.field
