"""The first tables of the directory."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "last_login",
                    models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                ),
                (
                    "login",
                    models.CharField(
                        error_messages={"unique": "This login name is taken."},
                        help_text="Unique on this installation; never changed afterwards.",
                        max_length=64,
                        unique=True,
                        verbose_name="login name",
                    ),
                ),
                ("name", models.CharField(max_length=150, verbose_name="name")),
                (
                    "email",
                    models.EmailField(blank=True, max_length=254, verbose_name="e-mail address"),
                ),
                ("language", models.CharField(blank=True, max_length=16, verbose_name="language")),
                (
                    "theme",
                    models.CharField(
                        choices=[
                            ("system", "As the device"),
                            ("light", "Light"),
                            ("dark", "Dark"),
                        ],
                        default="system",
                        max_length=8,
                        verbose_name="theme",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Switch off instead of deleting: they can no longer sign in.",
                        verbose_name="active",
                    ),
                ),
                (
                    "is_staff",
                    models.BooleanField(default=False, verbose_name="may open the administration"),
                ),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Has every permission; sees all tenants in the administration.",
                        verbose_name="operator of the platform",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "db_table": "org_user",
                "ordering": ("login",),
            },
        ),
        migrations.CreateModel(
            name="Tenant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=64, unique=True, verbose_name="code")),
                ("name", models.CharField(max_length=150, verbose_name="name")),
            ],
            options={
                "verbose_name": "tenant",
                "verbose_name_plural": "tenants",
                "db_table": "org_tenant",
                "ordering": ("code",),
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True, verbose_name="digest")),
                ("label", models.CharField(blank=True, max_length=100, verbose_name="label")),
                ("created_at", models.DateTimeField(verbose_name="created at")),
                ("expires_at", models.DateTimeField(verbose_name="expires at")),
                (
                    "last_used_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="last used at"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "API token",
                "verbose_name_plural": "API tokens",
                "db_table": "org_api_token",
                "ordering": ("-id",),
            },
        ),
        migrations.CreateModel(
            name="Department",
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
                    "head",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="heads",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="head",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="children",
                        to="directory.department",
                        verbose_name="parent department",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="departments",
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "department",
                "verbose_name_plural": "departments",
                "db_table": "org_department",
                "ordering": ("code",),
            },
        ),
        migrations.AddField(
            model_name="user",
            name="department",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="members",
                to="directory.department",
                verbose_name="department",
            ),
        ),
        migrations.CreateModel(
            name="Role",
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
                        related_name="roles",
                        to="directory.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "role",
                "verbose_name_plural": "roles",
                "db_table": "org_role",
                "ordering": ("code",),
            },
        ),
        migrations.AddField(
            model_name="user",
            name="tenant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="users",
                to="directory.tenant",
                verbose_name="tenant",
            ),
        ),
        migrations.CreateModel(
            name="RoleGrant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "permission",
                    models.CharField(
                        choices=[
                            ("flow.design", "Design processes"),
                            ("flow.publish", "Publish processes"),
                            ("flow.manage", "Manage running requests"),
                            ("rule.edit", "Edit rules"),
                            ("rule.publish", "Publish rules"),
                            ("ops.view", "See the state of the installation"),
                            ("ops.act", "Operate the installation"),
                            ("directory.manage", "Manage people, departments and roles"),
                            ("audit.read", "Read the audit log"),
                        ],
                        max_length=40,
                        verbose_name="permission",
                    ),
                ),
                (
                    "role",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="grants",
                        to="directory.role",
                        verbose_name="role",
                    ),
                ),
            ],
            options={
                "verbose_name": "permission of a role",
                "verbose_name_plural": "permissions of a role",
                "db_table": "org_role_grant",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("role", "permission"), name="org_role_grant_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RoleMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="directory.role",
                        verbose_name="role",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "member",
                "verbose_name_plural": "members",
                "db_table": "org_role_member",
                "constraints": [
                    models.UniqueConstraint(fields=("role", "user"), name="org_role_member_once")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="role",
            constraint=models.UniqueConstraint(fields=("tenant", "code"), name="org_role_code"),
        ),
        migrations.AddConstraint(
            model_name="department",
            constraint=models.UniqueConstraint(
                fields=("tenant", "code"), name="org_department_code"
            ),
        ),
    ]
