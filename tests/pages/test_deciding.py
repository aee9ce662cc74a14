"""Deciding on a page: what is stored, what comes next, and what who is late gets to read."""

from __future__ import annotations

import json

import pytest

from tests.pages.reading import HTMX, Page, decide_form
from tests.workflow.flows import (
    a_document,
    approve,
    approve_step,
    big_and_small,
    everything,
    open_task,
    publish,
    rows,
    start,
)
from workflow.actions import administration
from workflow.models import Event, Instance, Task

pytestmark = pytest.mark.django_db


@pytest.fixture
def filed(ann, bao, now):
    publish(bao, big_and_small(), now=now)
    return start(ann, now=now)


def act(client, filed, word, *, headers=None, **fields):
    """Read the page and press a button of its form."""
    address = f"/requests/{filed.pk}/"
    hidden = decide_form(client, address)
    return client.post(address, {**hidden, "act": word, **fields}, headers=headers)


def decisions(filed):
    kinds = ["task_approved", "task_rejected"]
    return list(
        Event.objects.filter(instance=filed, kind__in=kinds).values_list("kind", flat=True)
    )


# What is stored, and what comes next ------------------------------------------------------------


def test_approving_goes_to_the_next_task_with_a_way_back(client_of, filed, ann, bao, now):
    older, client = filed, client_of(bao)
    newer = start(ann, now=now)
    answer = act(client, newer, "approve", comment="Looks good")
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/requests/{older.pk}/?task={older.pk * 100_000 + 1}"
    assert decisions(newer) == ["task_approved"]
    page = Page(client.get(answer.headers["Location"]))
    assert f"You approved “{newer.title}”." in page.text
    assert f"/requests/{newer.pk}/" in page.links
    assert "Next: Finance." in page.text
    last = act(client, older, "reject", comment="")
    assert last.headers["Location"] == "/inbox/"
    assert "It has ended: Rejected." in client.get("/inbox/").content.decode()
    assert decisions(older) == ["task_rejected"]


def test_htmx_is_told_where_to_go(client_of, filed, bao):
    answer = act(client_of(bao), filed, "approve", headers=HTMX)
    assert answer.status_code == 204
    assert answer.headers["HX-Redirect"] == "/inbox/"
    assert "HX-Request" in answer.headers["Vary"]


def test_edits_of_the_form_are_saved_with_the_decision(client_of, ann, chi, bao, now):
    fields = {"set": {"reason": "edit", "secret": "hide"}}
    publish(bao, a_document(approve_step("lead", "chi", fields=fields)), now=now)
    filed = start(ann, now=now, secret="planted")
    answer = act(client_of(chi), filed, "approve", **{"values-reason": "Checked <it>"})
    assert answer.status_code == 303
    filed.refresh_from_db()
    assert filed.snapshot["values"] == {
        "amount": "12000.00", "reason": "Checked <it>", "secret": "planted"
    }  # fmt: skip
    assert decisions(filed) == ["task_approved"]


def test_a_double_click_decides_once_and_both_go_on(client_of, filed, bao):
    # approvals.md 4, test 52.
    client = client_of(bao)
    form = decide_form(client, f"/requests/{filed.pk}/") | {"act": "approve", "comment": "once"}
    first = client.post(f"/requests/{filed.pk}/", form)
    second = client.post(f"/requests/{filed.pk}/", form)
    assert [first.status_code, second.status_code] == [303, 303]
    assert decisions(filed) == ["task_approved"]


def test_a_comment_alone_decides_nothing_and_keeps_what_was_filled_in(
    client_of, ann, chi, bao, now
):
    step = approve_step("lead", "chi", fields={"set": {"reason": "must"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    client = client_of(chi)
    answer = act(
        client, filed, "comment", headers=HTMX, comment="Which <one>?", **{"values-reason": "half"}
    )
    page = Page(answer)
    assert answer.status_code == 200
    assert "Which &lt;one&gt;?" in page.text
    assert 'value="half"' in page.text
    assert "aria-invalid" not in page.text
    assert "flow:toast" in json.loads(answer.headers["HX-Trigger"])
    assert open_task(chi).version == 1
    plain = act(client, filed, "comment", comment="And another")
    assert plain.headers["Location"] == f"/requests/{filed.pk}/?task={filed.pk * 100_000 + 1}"
    assert Event.objects.filter(instance=filed, kind="commented").count() == 2


def test_a_reader_comments(client_of, filed, ann):
    client = client_of(ann)
    key = Page(client.get(f"/requests/{filed.pk}/")).form_with("comment")["idempotency_key"]
    sent = {"act": "comment", "comment": "It is urgent", "idempotency_key": key}
    for _twice in range(2):
        answer = client.post(f"/requests/{filed.pk}/", sent)
        assert answer.headers["Location"] == f"/requests/{filed.pk}/"
    assert Event.objects.filter(instance=filed, kind="commented").count() == 1


# Too late ---------------------------------------------------------------------------------------


def late(client_of, person, filed, meanwhile, word="reject", headers=None, **fields):
    """Open the page, let something happen, press the button."""
    client = client_of(person)
    hidden = decide_form(client, f"/requests/{filed.pk}/")
    meanwhile()
    before = everything()
    answer = client.post(
        f"/requests/{filed.pk}/", {**hidden, "act": word, **fields}, headers=headers
    )
    assert everything() == before
    return answer


@pytest.mark.parametrize("headers", [None, HTMX])
def test_who_comes_second_reads_who_was_first_and_keeps_the_text(
    client_of, ann, bao, chi, dan, now, headers
):
    step = approve_step("lead", "bao", "chi", fields={"set": {"reason": "edit"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    answer = late(
        client_of, chi, filed, lambda: approve(bao, now=now, comment="mine was first"),
        headers=headers, comment="A <long> thought", **{"values-reason": "my reason"},
    )  # fmt: skip
    page = Page(answer)
    assert answer.status_code == 409
    assert "Approved by Bao Chen" in page.text
    assert 'datetime="2026-03-02T09:00:00+00:00"' in page.text
    assert "A &lt;long&gt; thought" in page.text
    assert "my reason" in page.text
    assert "mine was first" in page.text
    assert "task_version" not in page.text


def test_the_other_window_of_the_same_person_with_other_words(client_of, filed, bao):
    client = client_of(bao)
    form = decide_form(client, f"/requests/{filed.pk}/")
    client.post(f"/requests/{filed.pk}/", form | {"act": "approve"})
    before = everything()
    again = client.post(f"/requests/{filed.pk}/", form | {"act": "reject", "comment": "no, wait"})
    assert again.status_code == 409
    assert "Approved by Bao Chen" in again.content.decode()
    assert "no, wait" in again.content.decode()
    # The same button with other words: not a repetition, and the first decision stands.
    other = client.post(f"/requests/{filed.pk}/", form | {"act": "approve", "comment": "late"})
    assert other.status_code == 409
    assert "late" in other.content.decode()
    assert everything() == before


def test_a_task_that_was_given_away_and_back_is_412_with_everything_kept(
    client_of, ann, bao, chi, admin, now
):
    step = approve_step("lead", "chi", fields={"set": {"reason": "edit"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)

    def meanwhile():
        for person in (bao, chi):
            task = Task.objects.get(instance=filed)
            administration.reassign(task=task, to=person, user=admin, reason="away", now=now)

    answer = late(
        client_of, chi, filed, meanwhile, "approve", comment="typed", **{"values-reason": "kept"}
    )
    page = Page(answer)
    assert answer.status_code == 412
    assert "Administrator changed this task" in page.text
    assert page.form_with("task_version")["task_version"] == "3"
    assert 'value="kept"' in page.text
    assert ">typed</textarea>" in page.text


def test_a_task_that_was_given_away_is_no_longer_mine(client_of, ann, bao, chi, admin, now):
    publish(bao, a_document(approve_step("lead", "bao")), now=now)
    filed = start(ann, now=now)

    def meanwhile():
        task = Task.objects.get(instance=filed)
        administration.reassign(task=task, to=chi, user=admin, reason="away", now=now)

    assert late(client_of, bao, filed, meanwhile, "approve").status_code == 403


def test_a_comment_on_a_request_that_has_ended(client_of, filed, ann, admin, now):
    client = client_of(ann)
    key = Page(client.get(f"/requests/{filed.pk}/")).form_with("comment")["idempotency_key"]
    administration.terminate(instance=filed, user=admin, reason="over", now=now)
    before = rows()
    sent = {"act": "comment", "comment": "But why?", "idempotency_key": key}
    answer = client.post(f"/requests/{filed.pk}/", sent)
    assert answer.status_code == 409
    assert "This request has ended." in answer.content.decode()
    assert "But why?" in answer.content.decode()
    assert rows() == before


# Refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [None, HTMX])
def test_a_wrong_value_is_422_with_the_summary_and_everything_typed(
    client_of, ann, bao, chi, now, headers
):
    step = approve_step("lead", "chi", fields={"set": {"amount": "edit", "reason": "must"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    before = rows()
    answer = act(
        client_of(chi), filed, "approve", headers=headers, comment="typed",
        **{"values-amount": "a lot", "values-reason": ""},
    )  # fmt: skip
    page = Page(answer)
    assert answer.status_code == 422
    assert "Please check your input" in page.text
    assert "data-take-focus" in page.text
    assert page.text.count('aria-invalid="true"') == 2
    assert 'value="a lot"' in page.text
    assert ">typed</textarea>" in page.text
    assert "#id_values-amount" in page.links
    assert rows() == before


def test_whoever_rejects_need_not_fill_in_what_an_approval_needs(client_of, ann, bao, chi, now):
    step = approve_step("lead", "chi", fields={"set": {"reason": "must"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    assert act(client_of(chi), filed, "reject", **{"values-reason": ""}).status_code == 303
    assert decisions(filed) == ["task_rejected"]


@pytest.mark.parametrize("field", ["secret", "amount", "nothing"])
def test_a_field_that_was_not_offered_is_refused(client_of, ann, bao, chi, now, field):
    step = approve_step("lead", "chi", fields={"set": {"secret": "hide", "reason": "edit"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now, secret="planted")
    before = rows()
    answer = act(client_of(chi), filed, "approve", **{f"values-{field}": "1"})
    assert answer.status_code == 422
    assert "planted" not in answer.content.decode()
    assert rows() == before
    assert Instance.objects.get(pk=filed.pk).snapshot == filed.snapshot


@pytest.mark.parametrize(
    ("policy", "word", "comment", "status"),
    [
        ({"comment": "on_reject"}, "reject", " ", 422),
        ({"comment": "on_reject"}, "reject", "too dear", 303),
        ({"comment": "on_reject"}, "approve", "", 303),
        ({"comment": "always"}, "approve", "", 422),
        ({}, "comment", "", 422),
        ({}, "approve", "x" * 2001, 422),
        ({}, "approve", "a\x00b", 422),
    ],
)
def test_the_comment(client_of, ann, bao, now, policy, word, comment, status):
    publish(bao, a_document(approve_step("lead", "bao"), policy=policy), now=now)
    filed = start(ann, now=now)
    before = rows()
    answer = act(client_of(bao), filed, word, comment=comment)
    assert answer.status_code == status
    if status == 422:
        assert 'id="comment-error"' in answer.content.decode()
        assert 'href="#comment"' in answer.content.decode()
        assert rows() == before


def test_strangers_and_readers_cannot_decide(client_of, filed, ann, bao, chi, dan, eve):
    form = decide_form(client_of(bao), f"/requests/{filed.pk}/") | {"act": "approve"}
    before = rows()
    # ann filed it and dan is an auditor: they know of it, and it is not their task.
    for person, status in ((ann, 403), (dan, 403), (chi, 404), (eve, 404)):
        assert client_of(person).post(f"/requests/{filed.pk}/", form).status_code == status
    comment = {"act": "comment", "comment": "hello", "idempotency_key": "k"}
    for person in (chi, eve):
        assert client_of(person).post(f"/requests/{filed.pk}/", comment).status_code == 404
    assert rows() == before


def test_a_task_of_another_request_is_not_decided_here(client_of, filed, ann, bao, now):
    other = start(ann, now=now)
    form = decide_form(client_of(bao), f"/requests/{other.pk}/") | {"act": "approve"}
    before = rows()
    assert client_of(bao).post(f"/requests/{filed.pk}/", form).status_code == 404
    assert rows() == before


@pytest.mark.parametrize(
    "change",
    [
        {"task_version": ""}, {"task_version": "x"}, {"task_version": "9" * 40}, {"act": "delete"},
        {"act": ""}, {"task": ""}, {"task": "x"}, {"idempotency_key": ""},
        {"idempotency_key": "ü"},
    ],
)  # fmt: skip
def test_a_form_that_was_bent_is_refused(client_of, filed, bao, change):
    form = decide_form(client_of(bao), f"/requests/{filed.pk}/") | {"act": "approve"} | change
    before = rows()
    assert client_of(bao).post(f"/requests/{filed.pk}/", form).status_code in {400, 404}
    assert rows() == before


def test_without_the_token_of_our_own_page_nothing_is_decided(client_of, filed, bao):
    form = decide_form(client_of(bao), f"/requests/{filed.pk}/") | {"act": "approve"}
    del form["csrfmiddlewaretoken"]
    before = rows()
    client = client_of(bao, enforce_csrf_checks=True)
    assert client.post(f"/requests/{filed.pk}/", form).status_code == 403
    assert client.post(f"/requests/{filed.pk}/", form, headers=HTMX).status_code == 403
    assert rows() == before


def test_enter_in_a_field_decides_nothing(client_of, filed, bao):
    text = client_of(bao).get(f"/requests/{filed.pk}/").content.decode()
    form = text[text.index('id="decide-form"') :]
    # HTML submits with the form's first button, and not at all when that one is disabled.
    assert form.index('<button type="submit" disabled hidden>') < form.index('name="act"')
