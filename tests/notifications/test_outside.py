"""The page of a person's choices, and the administration of channels and messages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.conf import settings as live

from flowadmin.mail_server import MailServer
from flowadmin.outbound import chat
from flowadmin.sealing import unseal
from notifications.actions import handing_out
from notifications.models import Channel, ChatAddress, Message, OutsideHours, Route
from tests.acceptance.acting import filed, human

PAGE = "/notices/outside/"
HOOK = "https://open.feishu.cn/open-apis/bot/v2/hook/abcdefghij0123456789"
FORM = {
    "kinds_email": ["assigned", "urge"],
    "quiet_from": "22:00",
    "quiet_to": "07:30",
    "quiet_days": ["5", "6"],
    "digest": "daily",
    "digest_hour": "9",
}


@pytest.fixture
def opened(settings, monkeypatch, ann, eve):
    """E-mail and Feishu are open for ann's tenant, e-mail alone for eve's."""
    server = MailServer("127.0.0.1", 25, "", "", "")
    settings.ENVIRONMENT = replace(
        live.ENVIRONMENT, public_url="https://flow.example.com", mail_server=server
    )
    monkeypatch.setattr(chat, "available", lambda: True)
    for tenant, medium in ((ann.tenant, "email"), (ann.tenant, "feishu"), (eve.tenant, "email")):
        Channel.objects.create(tenant=tenant, medium=medium)
    handing_out.forget()
    yield
    handing_out.forget()


def rows():
    return [list(model.objects.values()) for model in (Route, OutsideHours, ChatAddress)]


def test_nothing_is_open(client_of, ann):
    page = client_of(ann).get(PAGE)
    assert page.status_code == 200
    assert "No channel is open" in page.content.decode()
    assert 'href="/notices/outside/"' in client_of(ann).get("/notices/").content.decode()


def test_choices_are_kept_and_shown(client_of, opened, ann, bao):
    browser = client_of(ann)
    answer = browser.post(PAGE, FORM)
    assert (answer.status_code, answer.headers["Location"]) == (303, PAGE)
    assert set(Route.objects.values_list("user__login", "kind", "medium")) == {
        ("ann", "assigned", "email"), ("ann", "urge", "email"),
    }  # fmt: skip
    kept = OutsideHours.objects.get(user=ann).hours()
    assert (kept.quiet_from, kept.quiet_to, kept.quiet_days) == (1320, 450, frozenset({5, 6}))
    text = browser.get(PAGE).content.decode()
    assert 'value="22:00"' in text
    assert "Asia/Shanghai" in text
    assert (
        "22:00"
        not in client_of(bao).get(PAGE).content.decode().split("<main")[1].split("<select")[0]
    ), "a choice is one person's"
    browser.post(PAGE, FORM | {"kinds_email": []})
    assert not Route.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"quiet_days": list("0123456")},
        {"quiet_to": ""},
        {"quiet_to": "22:00"},
        {"quiet_from": "25:00"},
        {"digest": "weekly"},
        {"digest_hour": "24"},
        {"quiet_days": ["7"]},
        {"kinds_email": ["approved"]},
    ],
)
def test_what_cannot_be_kept_is_said_and_nothing_written(client_of, opened, ann, wrong):
    answer = client_of(ann).post(PAGE, FORM | wrong)
    assert answer.status_code == 422
    assert "field-error" in answer.content.decode()
    assert rows() == [[], [], []]


def test_a_medium_that_is_not_offered_is_not_kept(client_of, opened, eve):
    client_of(eve).post(PAGE, FORM | {"kinds_feishu": ["assigned"]})
    assert set(Route.objects.values_list("medium", flat=True)) == {"email"}


def test_an_address_is_sealed_and_never_shown(client_of, opened, ann):
    browser = client_of(ann)
    assert browser.post(f"{PAGE}feishu/", {"address": f" {HOOK} "}).status_code == 303
    kept = ChatAddress.objects.get()
    assert unseal(kept.sealed, kept.purpose) == HOOK
    assert HOOK[-20:] not in kept.sealed
    page = browser.get(PAGE).content.decode()
    assert HOOK[-20:] not in page
    assert "An address is kept" in page
    browser.post(f"{PAGE}feishu/", {"remove": "1"})
    assert not ChatAddress.objects.exists()


@pytest.mark.parametrize(
    "address",
    ["", "https://127.0.0.1/hook", "json://127.0.0.1", HOOK + "?x=1", "x" * 5000],
)  # fmt: skip
def test_no_other_address_is_kept(client_of, opened, ann, address):
    answer = client_of(ann).post(f"{PAGE}feishu/", {"address": address}, follow=True)
    assert "not an address as this chat" in answer.content.decode()
    assert rows() == [[], [], []]


@pytest.mark.parametrize("medium", ["email", "slack", "nothing"])
def test_a_chat_that_is_not_offered_is_not_there(client_of, opened, ann, eve, medium):
    assert client_of(ann).post(f"{PAGE}{medium}/", {"address": HOOK}).status_code == 404
    assert client_of(eve).post(f"{PAGE}feishu/", {"address": HOOK}).status_code == 404
    assert client_of(ann).get(f"{PAGE}feishu/").status_code == 405
    assert rows() == [[], [], []]


def test_who_is_not_signed_in(client, opened):
    for answer in (client.get(PAGE), client.post(PAGE, FORM), client.post(f"{PAGE}feishu/")):
        assert answer.status_code == 302
    assert rows() == [[], [], []]


# Administration -------------------------------------------------------------------------------


def test_messages_are_read_without_addresses(client_of, opened, admin, ann, bao, now):
    client_of(bao).post(PAGE, FORM)
    filed(ann, human("lead", "bao"), now=now)
    [message] = Message.objects.all()
    browser = client_of(admin)
    text = browser.get("/admin/notifications/message/").content.decode()
    assert "E-mail" in text
    assert "@" not in text.split('id="result_list"')[1]
    address = f"/admin/notifications/message/{message.pk}/"
    assert browser.get(f"{address}change/").status_code == 200
    assert browser.post(f"{address}change/", {"status": "SENT"}).status_code == 403
    assert browser.post(f"{address}delete/", {"post": "yes"}).status_code == 403
    assert Message.objects.get().status == "PENDING"
    looked = browser.get("/admin/notifications/message/?notice__text__startswith=a")
    assert looked.status_code in {302, 400}


def test_channels_are_opened_by_who_manages_the_directory(client_of, admin, ann, bao):
    for stranger in (ann, bao):
        answer = client_of(stranger).post(
            "/admin/notifications/channel/add/", {"tenant": ann.tenant_id, "medium": "slack"}
        )
        assert answer.status_code in {302, 403}
        assert not Channel.objects.exists()
    given = {"tenant": ann.tenant_id, "medium": "slack", "enabled": "on"}
    assert client_of(admin).post("/admin/notifications/channel/add/", given).status_code == 302
    assert Channel.objects.get().enabled
    again = client_of(admin).post("/admin/notifications/channel/add/", given)
    assert again.status_code == 200
    assert Channel.objects.count() == 1
    assert client_of(admin).get("/admin/notifications/channel/").status_code == 200
