"""Notices that go outside: written with the notice or never, and sent at least once."""

from __future__ import annotations

import smtplib
from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from django.conf import settings as live
from django.core.mail import EmailMessage

from flowadmin.mail_server import MailServer
from notifications import channels, jobs, mail_backend
from notifications.actions import (
    choosing,
    handing_out,
    messages,
    reading,
    reminding,
    sending,
    urging,
)
from notifications.channels import Sent
from notifications.hours import Hours
from notifications.models import Channel, Message, Notice, Route
from tests.acceptance.acting import filed, human
from tests.notifications.mailbox import Mailbox
from tests.notifications.test_step_notices import carry_out, tell

SITE = "https://flow.example.com"
ALL = list(Notice.Kind.values)


@pytest.fixture
def mail(settings, monkeypatch, ann, bao, chi):
    """`mail(box)`: e-mail leaves to this mailbox, and the tenant has opened that channel."""
    # A second thread would wait for the transaction of the test.
    monkeypatch.setattr(sending, "THREADS", 1)
    for user in (ann, bao, chi):
        user.email = f"{user.login}@people.example.com"
        user.save(update_fields=["email"])

    def on(box, **there):
        server = MailServer("127.0.0.1", box.port, "", "", "")
        settings.ENVIRONMENT = replace(
            live.ENVIRONMENT, public_url=SITE, mail_server=server, mail_from="flow@example.com"
        )
        settings.EMAIL_BACKEND = "notifications.mail_backend.MailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", box.port
        settings.DEFAULT_FROM_EMAIL = "flow@example.com"
        Channel.objects.create(tenant=ann.tenant, medium="email", **there)
        handing_out.forget()

    yield on
    handing_out.forget()


def wants(user, *kinds, hours=None):
    choosing.choose(user=user, kinds={"email": kinds or ALL}, hours=hours or Hours())


def states():
    return list(Message.objects.order_by("id").values_list("status", "result", "attempts"))


def send_all(now):
    return sending.go_round(lambda: now, timedelta(0))


def test_a_task_is_told_by_mail(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao, "assigned")
        request = filed(ann, human("lead", "bao"), now=now)
        assert states() == [("PENDING", "", 0)]
        assert send_all(now) == 1
        assert send_all(now) == 0, "once"
    assert states() == [("SENT", "SENT", 1)]
    [letter] = box.letters
    notice = Notice.objects.get(receiver=bao)
    assert letter["To"] == "bao@people.example.com"
    assert letter["From"] == "flow@example.com"
    assert letter["Subject"] == f"FlowAdmin: New task: {request.title}"
    assert letter["Message-ID"].endswith("@example.com>")
    text = letter.get_content()
    assert f"{SITE}/notices/{notice.pk}/" in text
    assert f"{SITE}/notices/outside/" in text
    assert "“Lead” is with you now, through Ann" in text


def test_in_the_language_of_the_reader(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        bao.language = "zh-hans"
        bao.save()
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        send_all(now)
    [letter] = box.letters
    assert "待办" in letter["Subject"] or "任务" in letter["Subject"]


def test_switching_on_sends_nothing_of_the_past(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box, enabled=False)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        Channel.objects.update(enabled=True)
        handing_out.forget()
        assert send_all(now) == 0
    assert states() == []


def test_only_who_wants_it_of_a_kind_and_only_his_tenant(mail, ann, bao, chi, eve, now):
    with Mailbox() as box:
        mail(box)
        wants(bao, "urge")
        wants(chi, "assigned")
        wants(eve)
        request = filed(ann, human("lead", "bao", "chi"), now=now)
        urging.urge(instance=request, user=ann, now=now + timedelta(minutes=1))
        kinds = Message.objects.order_by("id").values_list("receiver__login", "notice__kind")
        assert list(kinds) == [("chi", "assigned"), ("bao", "urge")]


def test_a_reminder_that_became_due(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao, "timeout")
        filed(ann, human("lead", "bao", deadline={"after": 1}), now=now)
        assert states() == []
        reminding.send_due(now + timedelta(minutes=2))
        assert send_all(now + timedelta(minutes=2)) == 1
    assert "Reminder" in box.letters[0]["Subject"]


def test_what_was_read_in_the_app_is_not_sent(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        reading.mark_all_read(user=bao, now=now)
        assert send_all(now) == 0
    assert states() == [("DROPPED", "READ", 0)]
    assert box.connections == 0


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        ("OFF", lambda _bao: Channel.objects.update(enabled=False)),
        ("UNWANTED", lambda _bao: Route.objects.all().delete()),
        ("NO_ADDRESS", lambda bao: type(bao).objects.filter(pk=bao.pk).update(email="")),
        ("GONE", lambda bao: type(bao).objects.filter(pk=bao.pk).update(is_active=False)),
    ],
)
def test_what_nobody_wants_any_more_is_dropped(mail, ann, bao, now, reason, change):
    with Mailbox() as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        change(bao)
        assert send_all(now) == 0
    assert states() == [("DROPPED", reason, 0)]
    assert box.connections == 0


def test_a_step_asks_for_mail_whatever_the_person_chose(mail, ann, chi, now):
    with Mailbox() as box:
        mail(box)
        filed(
            ann, tell("chi", channel=["email"]), human("lead", "bao"), now=now,
            values={"reason": "Train", "secret": "42"},
        )  # fmt: skip
        carry_out(now)
        assert send_all(now) == 1
    assert Notice.objects.filter(receiver=chi, kind="notice").count() == 1, "in the app too"
    [letter] = box.letters
    assert letter["Subject"].startswith("FlowAdmin: Message: ")
    assert "Train: 42" in letter.get_content(), "what its designer wrote for this way"


def test_a_message_of_a_process_elsewhere_goes_without_its_text(mail, ann, chi, now):
    with Mailbox() as box:
        mail(box)
        wants(chi, "notice")
        filed(
            ann, tell("chi"), human("lead", "bao"), now=now,
            values={"reason": "Train", "secret": "42"},
        )  # fmt: skip
        carry_out(now)
        send_all(now)
    [letter] = box.letters
    assert "42" not in letter.as_string()


# When -------------------------------------------------------------------------------------------


def test_quiet_hours_put_off_and_bundle(mail, ann, bao, now):
    """In the demo's zone it is 17:00; quiet until 08:00, then one message tells all."""
    with Mailbox() as box:
        mail(box)
        wants(bao, hours=Hours(quiet_from=16 * 60, quiet_to=8 * 60))
        for _number in range(3):
            filed(ann, human("lead", "bao"), now=now)
        assert send_all(now) == 0
        assert box.connections == 0
        morning = now.astimezone(UTC) + timedelta(hours=15)
        assert set(Message.objects.values_list("next_at", flat=True)) == {morning}
        assert send_all(morning) == 1
    assert states() == [("SENT", "SENT", 1)] * 3
    [letter] = box.letters
    assert letter["Subject"] == "FlowAdmin: 3 notices for you"
    assert letter.get_content().count(f"{SITE}/notices/") == 4, "each, and the choices"
    assert Notice.objects.filter(status="SENT", sent_at=now).count() == 3, "in the app at once"


def test_a_digest_tells_of_each_once(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao, hours=Hours(digest="hourly"))
        for minutes in (5, 10, 70):
            filed(ann, human("lead", "bao"), now=now + timedelta(minutes=minutes))
        for minutes in range(0, 190, 10):
            send_all(now + timedelta(minutes=minutes))
    two, _one = box.letters
    assert two["Subject"] == "FlowAdmin: 2 notices for you"
    assert states() == [("SENT", "SENT", 1)] * 3


# What goes wrong -------------------------------------------------------------------------------


def attempts_of(box_answers, mail, ann, bao, now):
    with Mailbox(**box_answers) as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        moments, at = [], now
        while Message.objects.filter(status="PENDING").exists():
            at = Message.objects.get().next_at
            moments.append(at)
            assert send_all(at - timedelta(seconds=1)) == 0 or at == now
            send_all(at)
    return [round((each - now).total_seconds()) for each in moments], box


def test_five_attempts_further_and_further_apart(mail, ann, bao, now):
    moments, box = attempts_of({"rcpt": "451 later"}, mail, ann, bao, now)
    assert moments == [0, 30, 90, 210, 450]
    assert states() == [("FAILED", "SMTP_451", 5)]
    assert box.letters == []


def test_the_last_word_of_a_server_is_believed(mail, ann, bao, now):
    moments, _box = attempts_of({"rcpt": "550 nobody"}, mail, ann, bao, now)
    assert moments == [0]
    assert states() == [("FAILED", "SMTP_550", 1)]


@pytest.mark.parametrize("answers", [{"greeting": None}, {"greeting": "drip"}, {"end": None}])
def test_a_server_that_hangs_costs_a_round_one_deadline(mail, ann, bao, now, monkeypatch, answers):
    """Also one that sends a byte now and then; those behind it wait for the next round."""
    monkeypatch.setattr(mail_backend, "DEADLINE_SECONDS", 0.4)
    with Mailbox(**answers) as box:
        mail(box)
        wants(bao)
        for _number in range(3):
            filed(ann, human("lead", "bao"), now=now)
        assert send_all(now) == 1
        assert box.connections == 1
    assert states() == [("PENDING", "TIMEOUT", 1), *[("PENDING", "", 0)] * 2]


def test_no_server_there(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
    wants(bao)
    filed(ann, human("lead", "bao"), now=now)
    assert send_all(now) == 1
    assert states() == [("PENDING", "CONNECTION", 1)]


def test_killed_between_sending_and_noting(mail, ann, bao, now, monkeypatch):
    """At least once: it is sent again behind the lease, with the same Message-ID."""

    def killed(*_given):
        raise KeyboardInterrupt

    with Mailbox() as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        with monkeypatch.context() as here:
            here.setattr(messages, "settle", killed)
            with pytest.raises(KeyboardInterrupt):
                send_all(now)
        assert states() == [("SENDING", "", 1)]
        assert send_all(now + timedelta(seconds=59)) == 0
        assert send_all(now + timedelta(seconds=60)) == 1
    first, second = box.letters
    assert first["Message-ID"] == second["Message-ID"]
    assert states() == [("SENT", "SENT", 2)]


def test_a_result_behind_the_lease_changes_nothing(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        pk = Message.objects.get().pk
        slow = messages.claim(pk, now)
        assert messages.claim(pk, now) is None, "it is somebody's"
        later = now + messages.LEASE
        quick = messages.claim(pk, later)
        assert slow is not None
        assert quick is not None
        assert messages.settle(slow, Sent(ok=False, result="TIMEOUT"), later) == 0
        assert messages.settle(quick, Sent(ok=True, result="SENT"), later) == 1
    assert states() == [("SENT", "SENT", 2)]


def test_whoever_dies_five_times_fails(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        pk, at = Message.objects.get().pk, now
        for _number in range(messages.ATTEMPTS):
            assert messages.claim(pk, at) is not None
            at += messages.LEASE
        assert messages.claim(pk, at) is None
    assert states() == [("FAILED", "UNKNOWN", 5)]


def test_a_clock_that_was_set_back_holds_nothing_up(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        past = now - timedelta(days=40)
        assert send_all(past) == 1
    assert len(box.letters) == 1


def test_a_failed_write_undoes_the_decision(mail, ann, bao, now, monkeypatch):
    with Mailbox() as box:
        mail(box)
        wants(bao)

        def broken(*_given):
            raise RuntimeError

        monkeypatch.setattr(handing_out, "_run", broken)
        with pytest.raises(RuntimeError):
            filed(ann, human("lead", "bao"), now=now)
    assert not Notice.objects.exists()


def test_old_ones_are_swept(mail, ann, bao, now):
    with Mailbox() as box:
        mail(box)
        wants(bao)
        filed(ann, human("lead", "bao"), now=now)
        assert sending.sweep(now + timedelta(days=200)) == 0, "it waits"
        send_all(now)
        assert sending.sweep(now + timedelta(days=89)) == 0
        assert sending.sweep(now + timedelta(days=91)) == 1
        assert Notice.objects.count() == 1
    assert jobs.scan_messages() == 0


def test_a_mistake_of_our_own_is_no_result(monkeypatch, settings):
    monkeypatch.setattr(EmailMessage, "send", lambda _self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        channels.send("email", "a@example.com", "s", "b", "1")
    assert channels._failure(smtplib.SMTPAuthenticationError(535, b"no")) == Sent(
        ok=False, result="SMTP_535"
    )
