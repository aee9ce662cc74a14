"""Groups, posts, reporting lines, absences, working calendars and the tenant's time zone."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("directory", "0001_organisation")]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="time_zone",
            field=models.CharField(
                default="UTC",
                help_text="An IANA name such as Asia/Shanghai; absences are entered in it.",
                max_length=64,
                verbose_name="time zone",
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="manager",
            field=models.ForeignKey(
                blank=True,
                help_text="To whom they report; need not be the head of their department.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reports",
                to=settings.AUTH_USER_MODEL,
                verbose_name="line manager",
            ),
        ),
        migrations.CreateModel(
            name="Calendar",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, verbose_name="key")),
                ("name", models.CharField(max_length=150, verbose_name="name")),
                (
                    "time_zone",
                    models.CharField(default="UTC", max_length=64, verbose_name="time zone"),
                ),
                ("hours", models.JSONField(default=dict, verbose_name="working hours")),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="calendars",
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "working calendar",
                "verbose_name_plural": "working calendars",
                "db_table": "org_calendar",
                "ordering": ("key",),
            },
        ),
        migrations.CreateModel(
            name="CalendarDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("date", models.DateField(verbose_name="date")),
                (
                    "working",
                    models.BooleanField(
                        default=False,
                        help_text="Off: a holiday. On: worked, also at a weekend.",
                        verbose_name="working day",
                    ),
                ),
                (
                    "hours",
                    models.JSONField(
                        blank=True, default=None, null=True, verbose_name="own hours"
                    ),
                ),
                (
                    "calendar",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="days",
                        to="directory.calendar",
                        verbose_name="working calendar",
                    ),
                ),
            ],
            options={
                "verbose_name": "holiday or make-up day",
                "verbose_name_plural": "holidays and make-up days",
                "db_table": "org_calendar_day",
                "ordering": ("date",),
            },
        ),
        migrations.CreateModel(
            name="Group",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=64, verbose_name="code")),
                ("name", models.CharField(max_length=150, verbose_name="name")),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="groups",
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "group",
                "verbose_name_plural": "groups",
                "db_table": "org_group",
                "ordering": ("code",),
            },
        ),
        migrations.CreateModel(
            name="GroupMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="directory.group",
                        verbose_name="group",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="group_places",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "member",
                "verbose_name_plural": "members",
                "db_table": "org_group_member",
            },
        ),
        migrations.CreateModel(
            name="Post",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=64, verbose_name="code")),
                ("name", models.CharField(max_length=150, verbose_name="name")),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="posts",
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "post",
                "verbose_name_plural": "posts",
                "db_table": "org_post",
                "ordering": ("code",),
            },
        ),
        migrations.CreateModel(
            name="PostHolder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "post",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="holders",
                        to="directory.post",
                        verbose_name="post",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="posts_held",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "post holder",
                "verbose_name_plural": "post holders",
                "db_table": "org_post_holder",
            },
        ),
        migrations.CreateModel(
            name="Substitute",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("starts_at", models.DateTimeField(verbose_name="from")),
                ("ends_at", models.DateTimeField(verbose_name="until")),
                (
                    "process",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="The key of one process; empty: all of them.",
                        max_length=48,
                        verbose_name="process",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="entered by",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="absences",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="who is away",
                    ),
                ),
                (
                    "substitute",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: away, and nobody acts in their place.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="stands_in",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="substitute",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="substitutes",
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "absence",
                "verbose_name_plural": "absences",
                "db_table": "org_substitute",
                "ordering": ("-starts_at", "-id"),
            },
        ),
        migrations.AddConstraint(
            model_name="calendar",
            constraint=models.UniqueConstraint(fields=("tenant", "key"), name="org_calendar_key"),
        ),
        migrations.AddConstraint(
            model_name="calendarday",
            constraint=models.UniqueConstraint(
                fields=("calendar", "date"), name="org_calendar_day_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="group",
            constraint=models.UniqueConstraint(fields=("tenant", "code"), name="org_group_code"),
        ),
        migrations.AddConstraint(
            model_name="groupmember",
            constraint=models.UniqueConstraint(
                fields=("group", "user"), name="org_group_member_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="post",
            constraint=models.UniqueConstraint(fields=("tenant", "code"), name="org_post_code"),
        ),
        migrations.AddConstraint(
            model_name="postholder",
            constraint=models.UniqueConstraint(
                fields=("post", "user"), name="org_post_holder_once"
            ),
        ),
        migrations.AddIndex(
            model_name="substitute",
            index=models.Index(fields=["person", "ends_at"], name="org_substitute_person"),
        ),
        migrations.AddConstraint(
            model_name="substitute",
            constraint=models.CheckConstraint(
                condition=models.Q(("ends_at__gt", models.F("starts_at"))),
                name="org_substitute_window",
            ),
        ),
        migrations.AddConstraint(
            model_name="substitute",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("substitute__isnull", True),
                    models.Q(("substitute", models.F("person")), _negated=True),
                    _connector="OR",
                ),
                name="org_substitute_other",
            ),
        ),
    ]
