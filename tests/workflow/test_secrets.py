"""Secrets: sealed at rest, bound to tenant and key, set by few and never shown."""

from __future__ import annotations

import pytest
from django.test import override_settings

from flowadmin import sealing
from flowadmin.directory.models import Permission, Role, RoleGrant, RoleMember
from workflow.actions.keeping_secrets import keep_secret
from workflow.models import Secret
from workflow.runtime.calls import secret_purpose

LIST = "/admin/workflow/secret/"


@pytest.mark.parametrize("text", ["", "a", "x" * 31, "x" * 32, "x" * 100, "\u5bc6\u7801"])
def test_what_is_sealed_comes_out_again_and_shows_nothing(text):
    sealed = sealing.seal(text, "p")
    assert sealing.unseal(sealed, "p") == text
    assert sealed != sealing.seal(text, "p")
    assert len(text) < 8 or text not in sealed


@pytest.mark.parametrize("place", range(0, 52, 3))
def test_a_changed_text_is_not_read(place):
    sealed = sealing.seal("Bearer abc", "p")
    other = "A" if sealed[place] != "A" else "B"
    with pytest.raises(sealing.Unreadable):
        sealing.unseal(sealed[:place] + other + sealed[place + 1 :], "p")


@pytest.mark.parametrize("broken", ["", "1", "1.", "2.AAAA", "1.!!", "1." + "A" * 40])
def test_what_was_never_sealed_is_not_read(broken):
    with pytest.raises(sealing.Unreadable):
        sealing.unseal(broken, "p")


def test_it_is_bound_to_its_place_and_to_the_installation():
    sealed = sealing.seal("x", secret_purpose(1, "erp"))
    for purpose in (secret_purpose(2, "erp"), secret_purpose(1, "erp2"), ""):
        with pytest.raises(sealing.Unreadable):
            sealing.unseal(sealed, purpose)
    with override_settings(SECRET_KEY="another"), pytest.raises(sealing.Unreadable):
        sealing.unseal(sealed, secret_purpose(1, "erp"))


@pytest.fixture
def publisher(bao):
    """Staff of the tenant who may publish."""
    bao.is_staff = True
    bao.save()
    role = Role.objects.create(tenant=bao.tenant, code="publishers", name="Publishers")
    RoleGrant.objects.create(role=role, permission=Permission.FLOW_PUBLISH)
    RoleMember.objects.create(role=role, user=bao)
    return bao


def test_it_is_set_replaced_and_never_shown(publisher, client_of, now):
    client = client_of(publisher)
    made = client.post(
        LIST + "add/", {"tenant": publisher.tenant_id, "key": "erp", "value": "Bearer one"}
    )
    assert made.status_code == 302
    secret = Secret.objects.get()
    purpose = secret_purpose(publisher.tenant_id, "erp")
    assert sealing.unseal(secret.sealed, purpose) == "Bearer one"
    page = f"{LIST}{secret.pk}/change/"
    for address in (LIST, page):
        shown = client.get(address)
        assert shown.status_code == 200
        assert b"Bearer one" not in shown.content
        assert secret.sealed.encode() not in shown.content
    assert client.post(page, {"value": "Bearer two"}).status_code == 302
    assert sealing.unseal(Secret.objects.get().sealed, purpose) == "Bearer two"
    assert client.post(page, {"value": "two\nlines"}).status_code == 200
    assert sealing.unseal(Secret.objects.get().sealed, purpose) == "Bearer two"
    assert client.post(f"{LIST}{secret.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Secret.objects.exists()


def test_a_foreign_tenant_is_neither_seen_nor_written(publisher, eve, client_of, now):
    secret = keep_secret(tenant_id=eve.tenant_id, key="theirs", text="x", now=now)
    client = client_of(publisher)
    assert b"theirs" not in client.get(LIST).content
    assert client.get(f"{LIST}{secret.pk}/change/").status_code == 302
    refused = client.post(LIST + "add/", {"tenant": eve.tenant_id, "key": "more", "value": "y"})
    assert refused.status_code == 200
    assert Secret.objects.get() == secret


def test_staff_without_the_permission_see_nothing(bao, client_of, now):
    bao.is_staff = True
    bao.save()
    RoleGrant.objects.all().delete()
    client = client_of(bao)
    assert client.get(LIST).status_code == 403
    body = {"tenant": bao.tenant_id, "key": "erp", "value": "x"}
    assert client.post(LIST + "add/", body).status_code == 403
    assert not Secret.objects.exists()
