"""Groups and posts of a tenant: names for people that permit nothing, unlike roles."""

from __future__ import annotations

from typing import ClassVar, Self

from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models.fixed import Code, FixedRow, refuse_other_tenant
from flowadmin.directory.models.organisation import Tenant
from flowadmin.directory.models.people import User


class GroupRows(models.QuerySet["Group"]):
    """Groups, narrowed by tenant."""

    def for_tenant(self, tenant_id: int) -> Self:
        return self.filter(tenant_id=tenant_id)


class Group(FixedRow):
    """People of one tenant who are asked together, such as a committee."""

    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="groups", verbose_name=_("tenant")
    )
    code = Code(_("code"))
    name = models.CharField(_("name"), max_length=150)

    objects: ClassVar[models.Manager[Group]] = GroupRows.as_manager()

    class Meta:
        db_table = "org_group"
        ordering = ("code",)
        verbose_name = _("group")
        verbose_name_plural = _("groups")
        constraints = [
            models.UniqueConstraint(fields=("tenant", "code"), name="org_group_code"),
        ]

    def __str__(self) -> str:
        return self.name


class GroupMember(FixedRow):
    """A person in a group of their own tenant."""

    FIXED = ()

    group = models.ForeignKey(
        Group, models.CASCADE, related_name="members", verbose_name=_("group")
    )
    user = models.ForeignKey(
        User, models.PROTECT, related_name="group_places", verbose_name=_("user")
    )

    class Meta:
        db_table = "org_group_member"
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints = [
            models.UniqueConstraint(fields=("group", "user"), name="org_group_member_once"),
        ]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.user_id}"

    def check_links(self, written: frozenset[str] | None) -> None:
        """Group and person are of one tenant."""
        del written
        try:
            group, user = self.group, self.user
        except ObjectDoesNotExist:
            return  # incomplete: the form or the database says what is missing
        refuse_other_tenant(group.tenant_id, user, "user")


class PostRows(models.QuerySet["Post"]):
    """Posts, narrowed by tenant."""

    def for_tenant(self, tenant_id: int) -> Self:
        return self.filter(tenant_id=tenant_id)


class Post(FixedRow):
    """An office of one tenant, such as cashier, whoever holds it at the moment."""

    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="posts", verbose_name=_("tenant")
    )
    code = Code(_("code"))
    name = models.CharField(_("name"), max_length=150)

    objects: ClassVar[models.Manager[Post]] = PostRows.as_manager()

    class Meta:
        db_table = "org_post"
        ordering = ("code",)
        verbose_name = _("post")
        verbose_name_plural = _("posts")
        constraints = [
            models.UniqueConstraint(fields=("tenant", "code"), name="org_post_code"),
        ]

    def __str__(self) -> str:
        return self.name


class PostHolder(FixedRow):
    """A person who holds a post of their own tenant; several may hold the same."""

    FIXED = ()

    post = models.ForeignKey(Post, models.CASCADE, related_name="holders", verbose_name=_("post"))
    user = models.ForeignKey(
        User, models.PROTECT, related_name="posts_held", verbose_name=_("user")
    )

    class Meta:
        db_table = "org_post_holder"
        verbose_name = _("post holder")
        verbose_name_plural = _("post holders")
        constraints = [
            models.UniqueConstraint(fields=("post", "user"), name="org_post_holder_once"),
        ]

    def __str__(self) -> str:
        return f"{self.post_id}: {self.user_id}"

    def check_links(self, written: frozenset[str] | None) -> None:
        """Post and person are of one tenant."""
        del written
        try:
            post, user = self.post, self.user
        except ObjectDoesNotExist:
            return  # incomplete: the form or the database says what is missing
        refuse_other_tenant(post.tenant_id, user, "user")
