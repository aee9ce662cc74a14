"""Who: the people of a step as a list of sources, never as names."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from workflow.engine.flowdoc.scalars import Code, FieldId, Key, Level, Part, Slug, Version, tag_of

Codes = Annotated[tuple[Code, ...], msgspec.Meta(min_length=1, max_length=100)]
Count = Annotated[int, msgspec.Meta(ge=1, le=100)]
Within = Literal["initiator_department", "same_branch", "any"]


class BaseOf(Part, frozen=True, kw_only=True):
    """Where to look from; exactly one member (checked when read)."""

    field: FieldId | None = None
    decider_of: Slug | None = None
    department: Code | None = None


# `initiator` | `{field}` | `{decider_of}` | `{department}`
Base = Literal["initiator"] | BaseOf


class Source(Part, frozen=True, kw_only=True, tag_field="by"):
    """Base of the fifteen sources."""

    @property
    def by(self) -> str:
        """The tag of the source, such as `role`."""
        return tag_of(self)


class ByUser(Source, frozen=True, kw_only=True, tag="user"):
    """Named people, in the order given. `ids` are login names."""

    ids: Codes


class ByRole(Source, frozen=True, kw_only=True, tag="role"):
    """Members of any of these roles."""

    ids: Codes
    within: Within = "any"


class ByGroup(Source, frozen=True, kw_only=True, tag="group"):
    """Members of any of these groups."""

    ids: Codes


class ByPost(Source, frozen=True, kw_only=True, tag="post"):
    """Holders of any of these posts."""

    ids: Codes
    within: Within = "any"


class ByDepartment(Source, frozen=True, kw_only=True, tag="department"):
    """Members of these departments; `deep` takes the departments below with them."""

    ids: Codes
    deep: bool = False


class ByHead(Source, frozen=True, kw_only=True, tag="head"):
    """The head of a department, `level` departments up; a missing one is climbed past or not."""

    of: Base = "initiator"
    level: Level = 0
    missing: Literal["climb", "none"] = "climb"


class Until(Part, frozen=True, kw_only=True):
    """Where a chain of heads ends; exactly one member (checked when read)."""

    level: Level | None = None
    top: bool | None = None
    role: Code | None = None


class ByHeadChain(Source, frozen=True, kw_only=True, tag="head_chain"):
    """The heads from here upwards, one after the other."""

    of: Base = "initiator"
    until: Until


class ByManager(Source, frozen=True, kw_only=True, tag="manager"):
    """The superior by reporting line, `level` steps up."""

    of: Base = "initiator"
    level: Annotated[int, msgspec.Meta(ge=1, le=20)] = 1


class ByInitiator(Source, frozen=True, kw_only=True, tag="initiator"):
    """Whoever filed the request."""


class PickedAtStart(Source, frozen=True, kw_only=True, tag="picked_at_start"):
    """People whom the initiator picks when filing."""

    from_: People | None = msgspec.field(default=None, name="from")
    min: Count = 1
    max: Count = 1


class PickedBy(Source, frozen=True, kw_only=True, tag="picked_by"):
    """People whom the approvers of an earlier step pick."""

    step: Slug
    from_: People | None = msgspec.field(default=None, name="from")
    min: Count = 1
    max: Count = 1


class ByFormUsers(Source, frozen=True, kw_only=True, tag="form_users"):
    """The people in a field of the form."""

    field: FieldId


class ByFormDepartmentHead(Source, frozen=True, kw_only=True, tag="form_department_head"):
    """The head of the department in a field of the form, `level` departments up."""

    field: FieldId
    level: Level = 0


class DecidersOf(Source, frozen=True, kw_only=True, tag="deciders_of"):
    """Those who really decided in an earlier step."""

    step: Slug


class ByRule(Source, frozen=True, kw_only=True, tag="rule"):
    """People named by a published rule."""

    key: Key
    version: Version


AnySource = (
    ByUser
    | ByRole
    | ByGroup
    | ByPost
    | ByDepartment
    | ByHead
    | ByHeadChain
    | ByManager
    | ByInitiator
    | PickedAtStart
    | PickedBy
    | ByFormUsers
    | ByFormDepartmentHead
    | DecidersOf
    | ByRule
)


class People(Part, frozen=True, kw_only=True):
    """Everybody whom any source gives, without those whom `without` gives, at most `cap`."""

    any_of: Annotated[tuple[AnySource, ...], msgspec.Meta(min_length=1, max_length=20)]
    without: Annotated[tuple[AnySource, ...], msgspec.Meta(max_length=10)] = ()
    order: Literal["given", "near_first", "name"] = "given"
    cap: Count = 100
