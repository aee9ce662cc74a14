"""Every operation on a request's page: offered exactly when accepted, done, refused in words."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from flowadmin.files.models import File
from tests.pages.reading import HTMX, Page, decide_form
from tests.workflow.flows import (
    a_document,
    approve,
    approve_step,
    everything,
    open_task,
    publish,
    rows,
    start,
)
from workflow import queries
from workflow.actions import administration
from workflow.models import Event, Instance, Task

pytestmark = pytest.mark.django_db

ALL_ACTS = {
    "transfer": True, "delegate": True, "add_before": True, "add_after": True, "add_with": True,
    "remove_added": True, "send_copy": True, "give_back": True, "return_to": "any",
}  # fmt: skip
MANAGING = {"suspend", "jump", "reassign", "cancel", "edit-future"}
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def two_steps(**members):
    """First bao, then chi, who may do everything."""
    return a_document(
        approve_step("lead", "bao"),
        approve_step("second", "chi", acts=ALL_ACTS, **members),
        policy={"take_back": {"on": True}, "initiator_cancel": "while_running"},
    )


@pytest.fixture
def filed(ann, bao, now):
    """A request that waits for chi at its second step."""
    publish(bao, two_steps(), now=now)
    instance = start(ann, now=now)
    approve(bao, now=now)
    return instance


def address(filed):
    return f"/requests/{filed.pk}/"


def act(client, filed, word, *, headers=None, **fields):
    """Read the page and press a button of the decision form, with what its panel asks."""
    hidden = decide_form(client, address(filed))
    return client.post(address(filed), {**hidden, "act": word, **fields}, headers=headers)


def steer(client, filed, word, *, task=None, **fields):
    """Open the panel of an act that stands apart, and send it."""
    query = f"?task={task.pk}" if task else ""
    page = Page(client.get(f"{address(filed)}acts/{word}/{query}", headers=HTMX))
    [form] = page.forms
    hidden = {
        name: each["value"]
        for name, each in form["fields"].items()
        if each.get("type") == "hidden"
    }
    return client.post(address(filed), {**hidden, "act": word, **fields})


def kinds(filed):
    return list(
        Event.objects.filter(instance=filed).order_by("position").values_list("kind", flat=True)
    )


def buttons(response):
    """What the buttons and links of a page offer to do."""
    page = Page(response)
    found = {value.removeprefix("panel:") for name, value in page.buttons if name == "act"} - {
        "none"
    }
    found |= {
        link.split("/acts/")[1].split("/")[0] for link in page.links if link and "/acts/" in link
    }
    return found


# What is offered --------------------------------------------------------------------------------


def test_the_page_shows_exactly_what_the_process_allows(client_of, filed, chi):
    assert buttons(client_of(chi).get(address(filed))) == {
        "approve", "reject", "comment", "return", "transfer", "delegate", "add-signer", "copy",
        "snooze", "ask-substitute",
    }  # fmt: skip


def test_a_button_that_is_switched_off_is_neither_shown_nor_accepted(
    client_of, ann, bao, chi, now
):
    # approvals.md 4, test 72.
    publish(bao, a_document(approve_step("lead", "chi")), now=now)
    filed = start(ann, now=now)
    client = client_of(chi)
    assert buttons(client.get(address(filed))) == {
        "approve",
        "reject",
        "comment",
        "snooze",
        "ask-substitute",
    }
    before = rows()
    refused: dict[str, dict[str, Any]] = {
        "transfer": {"act-to": "dan"}, "delegate": {"act-to": "dan"},
        "copy": {"act-people": ["dan"]},
        "return": {"act-to": "start", "act-resume": "forward"},
        "add-signer": {"act-people": ["dan"], "act-place": "before", "act-decide": "all",
                       "act-counts": "any_one"},
        "claim": {}, "release": {}, "hand-back": {}, "complete": {},
    }  # fmt: skip
    for word, more in refused.items():
        assert act(client, filed, word, **more).status_code == 403, word
        if word not in {"claim", "release", "hand-back", "complete"}:
            assert client.get(f"{address(filed)}acts/{word}/").status_code == 409, word
    assert rows() == before


def test_after_a_take_back_the_page_shows_what_is_accepted(client_of, ann, bao, chi, now):
    # approvals.md 4, test 44.
    publish(bao, two_steps(), now=now)
    filed = start(ann, now=now)
    approve(bao, now=now)
    [decided] = Task.objects.filter(instance=filed, holder=bao)
    client = client_of(bao)
    assert "take-back" in buttons(client.get(address(filed)))
    answer = steer(client, filed, "take-back", task=decided, **{"act-comment": "A slip"})
    assert answer.status_code == 303
    assert kinds(filed)[-1] != "task_approved"
    assert open_task(bao).step == "lead"
    shown = buttons(client.get(address(filed)))
    # bao manages requests, too.
    assert shown - MANAGING == {"approve", "reject", "comment", "snooze", "ask-substitute"}
    assert "take-back" not in buttons(client_of(ann).get(address(filed)))
    assert not Task.objects.filter(holder=chi, state="open").exists()


def test_nothing_is_offered_to_who_only_reads(client_of, filed, dan, ann):
    assert buttons(client_of(dan).get(address(filed))) == {"comment"}
    assert buttons(client_of(ann).get(address(filed))) == {"comment", "withdraw"}


def test_a_paused_request_says_why_nothing_can_be_decided(client_of, filed, chi, admin, now):
    administration.pause(instance=filed, user=admin, reason="audit", now=now)
    client = client_of(chi)
    answer = client.get(address(filed))
    assert buttons(answer) == {"comment", "snooze", "ask-substitute"}
    assert "Not possible now: Approve, Reject, Return" in answer.content.decode()
    assert "This request is paused." in answer.content.decode()
    before = rows()
    assert act(client, filed, "approve").status_code == 409
    assert rows() == before


# Done -------------------------------------------------------------------------------------------


def test_return_to_a_chosen_step_and_straight_back(client_of, filed, bao, chi, now):
    panel = client_of(chi).get(f"{address(filed)}acts/return/", headers=HTMX)
    assert "<html" not in panel.content.decode()
    assert 'value="lead"' in panel.content.decode()
    assert 'value="start"' in panel.content.decode()
    answer = act(
        client_of(chi), filed, "return", comment="Look again",
        **{"act-to": "lead", "act-resume": "here"},
    )  # fmt: skip
    assert answer.headers["Location"] == "/inbox/"
    assert open_task(bao).step == "lead"
    approve(bao, now=now)
    assert open_task(chi).step == "second"


def test_back_with_the_initiator_who_submits_again(client_of, filed, ann, bao, chi):
    # approvals.md 4, test 19.
    act(client_of(chi), filed, "return", **{"act-to": "start", "act-resume": "here"})
    client = client_of(ann)
    answer = client.get(address(filed))
    assert buttons(answer) == {"complete", "comment", "snooze", "withdraw"}
    assert "Submit again" in answer.content.decode()
    assert 'value="12000.00"' in answer.content.decode()
    sent = act(client, filed, "complete", **{
        "values-amount": "15000", "values-reason": "", "values-secret": ""
    })  # fmt: skip
    assert sent.status_code == 303
    filed.refresh_from_db()
    assert filed.snapshot["values"]["amount"] == "15000.00"
    assert open_task(chi).step == "second"
    assert not Task.objects.filter(holder=bao, state="open").exists()


def test_transfer(client_of, filed, chi, dan):
    answer = act(client_of(chi), filed, "transfer", comment="Yours", **{"act-to": "dan"})
    assert answer.headers["Location"] == "/inbox/"
    assert open_task(dan).instance_id == filed.pk
    assert "task_reassigned" in kinds(filed)


def test_an_opinion_is_asked_and_given(client_of, filed, chi, dan):
    act(client_of(chi), filed, "delegate", **{"act-to": "dan"})
    assert "Opinion asked by Chi Wang" in client_of(dan).get("/inbox/").content.decode()
    waiting = client_of(chi).get(f"{address(filed)}?task={Task.objects.get(holder=chi).pk}")
    assert "You asked for an opinion, and the task waits for it" in waiting.content.decode()
    assert {"approve", "hand-back"} & buttons(client_of(dan).get(address(filed))) == {"hand-back"}
    answer = act(client_of(dan), filed, "hand-back", comment="Fine with me")
    assert answer.status_code == 303
    assert open_task(chi).step == "second"
    page = client_of(dan).get(f"{address(filed)}?task={Task.objects.get(holder=dan).pk}")
    assert "You gave your opinion on this" in page.content.decode()


@pytest.mark.parametrize("place", ["before", "after", "with"])
def test_people_are_added(client_of, filed, chi, bao, dan, place):
    answer = act(client_of(chi), filed, "add-signer", **{
        "act-people": ["dan", "bao"], "act-place": place, "act-decide": "any",
        "act-counts": "cannot_pass",
    })  # fmt: skip
    assert answer.status_code == 303
    added = Task.objects.filter(instance=filed, step="second").exclude(holder=chi)
    assert {task.holder_id for task in added} == {bao.pk, dan.pk}
    state = queries.state_of(Instance.objects.get(pk=filed.pk))
    groups = [(group.place, group.decide, group.counts) for group in state.activations[0].groups]
    assert groups == ([] if place == "with" else [(place, "any", "cannot_pass")])


def test_whoever_added_a_person_removes_them_from_the_same_page(client_of, filed, chi, dan, bao):
    # approvals.md 4, test 48.
    client = client_of(chi)
    act(client, filed, "add-signer", **{
        "act-people": ["dan"], "act-place": "before", "act-decide": "all", "act-counts": "any_one",
    })  # fmt: skip
    mine = Task.objects.get(holder=chi, instance=filed)
    assert mine.state == "blocked"
    page = client.get(f"{address(filed)}?task={mine.pk}")
    assert "remove-signer" in buttons(page)
    assert "remove-signer" not in buttons(client_of(dan).get(address(filed)))
    added = Task.objects.get(holder=dan, instance=filed)
    answer = steer(client, filed, "remove-signer", **{"act-seat": str(added.pk)})
    assert answer.status_code == 303
    mine.refresh_from_db()
    assert mine.state == "open"
    assert not Task.objects.filter(holder=dan, state="open").exists()
    before = everything()
    sent = {"act": "remove-signer", "act-seat": str(mine.pk), "idempotency_key": "k"}
    assert client_of(bao).post(address(filed), sent).status_code in {403, 404, 409}
    assert everything() == before


def test_a_copy_is_sent(client_of, filed, chi, dan):
    answer = act(client_of(chi), filed, "copy", **{"act-people": ["dan"]})
    assert answer.headers["Location"].startswith(f"{address(filed)}?task=")
    assert Task.objects.filter(holder=dan, kind="copy").count() == 1


def test_work_of_a_pool_is_taken_and_given_back(client_of, ann, bao, chi, dan, now):
    step = approve_step("pool", "chi", "dan", decide={"mode": "claim"}, acts={"give_back": True})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    assert "claim" in buttons(client_of(dan).get(address(filed)))
    answer = act(client_of(chi), filed, "claim")
    assert answer.headers["Location"].startswith(f"{address(filed)}?task=")
    shown = buttons(client_of(chi).get(address(filed)))
    assert {"release", "approve"} <= shown
    assert "claim" not in shown
    assert "approve" not in buttons(client_of(dan).get(address(filed)))
    assert act(client_of(chi), filed, "release").status_code == 303
    assert {"claim", "approve"} <= buttons(client_of(dan).get(address(filed)))


def test_a_task_is_snoozed_until_a_date(client_of, filed, chi):
    # approvals.md 4, test 67.
    client = client_of(chi)
    task = open_task(chi)
    answer = act(client, filed, "snooze", **{"act-until": "2026-12-24T08:30"})
    assert answer.status_code == 303, answer.content.decode()
    task.refresh_from_db()
    assert task.snoozed_until is not None
    assert task.state == "open"
    assert "wake" in buttons(client.get(address(filed)))
    assert act(client, filed, "wake").status_code == 303
    task.refresh_from_db()
    assert task.snoozed_until is None
    assert "wake" not in buttons(client.get(address(filed)))


def test_a_substitute_is_asked_for_with_the_reason(client_of, filed, chi):
    client = client_of(chi)
    before = rows()
    refused = act(client, filed, "ask-substitute", comment="")
    assert refused.status_code == 422
    assert 'id="comment-error"' in refused.content.decode()
    assert rows() == before
    assert act(client, filed, "ask-substitute", comment="On leave").status_code == 303
    assert kinds(filed)[-1] == "substitute_asked"


def test_a_rejection_goes_back_to_the_step_that_was_chosen(client_of, ann, bao, chi, now):
    ask = {"counts": "any_one", "then": {"do": "back", "to": "ask", "resume": "forward"}}
    publish(bao, two_steps(reject=ask), now=now)
    filed = start(ann, now=now)
    approve(bao, now=now)
    client = client_of(chi)
    assert 'value="panel:reject"' in client.get(address(filed)).content.decode()
    before = rows()
    assert act(client, filed, "reject", comment="no").status_code == 422
    assert rows() == before
    assert act(client, filed, "reject", comment="no", **{"act-to": "lead"}).status_code == 303
    assert open_task(bao).step == "lead"


# With everything that was typed -----------------------------------------------------------------


def test_a_panel_opens_without_a_script_and_keeps_what_was_typed(client_of, ann, bao, chi, now):
    step = approve_step("lead", "chi", acts=ALL_ACTS, fields={"set": {"reason": "edit"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    before = everything()
    answer = act(
        client_of(chi), filed, "panel:transfer", comment="typed", **{"values-reason": "half"}
    )
    page = Page(answer)
    assert answer.status_code == 200
    assert ">typed</textarea>" in page.text
    assert 'value="half"' in page.text
    assert 'name="act-to"' in page.text
    closed = act(client_of(chi), filed, "panel:none", comment="typed")
    assert 'name="act-to"' not in closed.content.decode()
    assert everything() == before


def test_edits_go_along_with_a_transfer(client_of, ann, bao, chi, dan, now):
    step = approve_step("lead", "chi", acts=ALL_ACTS, fields={"set": {"reason": "must"}})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    answer = act(
        client_of(chi), filed, "transfer", **{"act-to": "dan", "values-reason": "checked"}
    )
    assert answer.status_code == 303
    filed.refresh_from_db()
    assert filed.snapshot["values"]["reason"] == "checked"


@pytest.mark.parametrize(
    ("word", "fields", "text"),
    [
        ("transfer", {"act-to": "nobody"}, "There is no such active person."),
        ("transfer", {"act-to": "eve"}, "There is no such active person."),
        ("transfer", {"act-to": ""}, "This field is required."),
        ("transfer", {"act-to": "a\x00b"}, "Null characters are not allowed."),
        ("copy", {"act-people": ["dan", "nobody"]}, "nobody: There is no such active person."),
        ("copy", {"act-people": ["d\x00n"]}, "There is no such active person."),
        ("copy", {}, "This field is required."),
        ("return", {"act-to": "nowhere", "act-resume": "forward"}, "Select a valid choice."),
        ("snooze", {"act-until": "2020-01-01T00:00"}, "This moment has passed already"),
        ("snooze", {"act-until": "soon"}, "Enter a valid date/time."),
        ("add-signer", {"act-people": ["chi"], "act-place": "with", "act-decide": "all",
                        "act-counts": "any_one"}, "This person has had this task already."),
        ("add-signer", {"act-people": ["dan"], "act-place": "under"}, "Select a valid choice."),
    ],
)  # fmt: skip
def test_a_wrong_panel_stands_open_with_the_reason(client_of, filed, chi, word, fields, text):
    before = rows()
    answer = act(client_of(chi), filed, word, comment="typed", **fields)
    page = Page(answer)
    assert answer.status_code == 422
    assert text in page.text
    assert ">typed</textarea>" in page.text
    assert f'value="{word}"' in page.text
    assert "Please check your input" in page.text
    assert rows() == before


def test_who_comes_too_late_reads_who_was_first(client_of, ann, bao, chi, dan, now):
    # approvals.md 4, test 54: the task that was clicked is the one that is meant.
    publish(bao, a_document(approve_step("lead", "chi", "dan", acts=ALL_ACTS)), now=now)
    filed = start(ann, now=now)
    hidden = decide_form(client_of(chi), address(filed))
    approve(dan, now=now)
    before = everything()
    late: dict[str, dict[str, Any]] = {
        "transfer": {"act-to": "bao"}, "return": {"act-to": ""}, "snooze": {"act-until": "x"},
        "add-signer": {}, "copy": {"act-people": ["bao"]}, "approve": {}, "delegate": {},
    }  # fmt: skip
    for word, fields in late.items():
        sent = {**hidden, "act": word, "comment": "mine", **fields}
        answer = client_of(chi).post(address(filed), sent)
        assert answer.status_code == 409, word
        assert "Approved by Dan" in answer.content.decode()
        assert "mine" in answer.content.decode()
    assert everything() == before


def test_the_task_that_was_clicked_is_shown(client_of, ann, bao, chi, now):
    step = [approve_step("one", "chi"), approve_step("two", "chi")]
    block = {
        "id": "both", "kind": "parallel", "name": "Both", "join": "all",
        "branches": [
            {"id": "a", "name": "A", "steps": [step[0]]},
            {"id": "b", "name": "B", "steps": [step[1]]},
        ],
    }  # fmt: skip
    publish(bao, a_document(block, policy={"dedupe": "off"}), now=now)
    filed = start(ann, now=now)
    for task in Task.objects.filter(holder=chi, instance=filed):
        page = Page(client_of(chi).get(f"{address(filed)}?task={task.pk}"))
        assert page.form_with("task_version")["task"] == str(task.pk)


def test_the_same_key_acts_once(client_of, filed, chi, dan):
    client = client_of(chi)
    hidden = decide_form(client, address(filed))
    sent = {**hidden, "act": "copy", "act-people": ["dan"]}
    first, second = client.post(address(filed), sent), client.post(address(filed), sent)
    assert [first.status_code, second.status_code] == [303, 303]
    assert Task.objects.filter(holder=dan, kind="copy").count() == 1


def test_strangers_open_no_panel_and_act_on_nothing(client_of, filed, eve, dan, chi):
    before = rows()
    for word in ("return", "transfer", "withdraw", "cancel", "take-back", "nothing"):
        path = f"{address(filed)}acts/{word}/"
        assert client_of(eve).get(path).status_code == 404
        assert client_of(dan).get(path).status_code in {404, 409}
    hidden = decide_form(client_of(chi), address(filed))
    for word in ("transfer", "snooze", "panel:transfer", "take-back"):
        sent = {**hidden, "act": word, "act-to": "dan"}
        assert client_of(eve).post(address(filed), sent).status_code == 404
        assert client_of(dan).post(address(filed), sent).status_code == 403
    assert rows() == before


# Files and a signature --------------------------------------------------------------------------


@pytest.fixture
def with_papers(ann, bao, now):
    evidence = {"comment": "may", "files": "must", "signature": "must"}
    publish(bao, a_document(approve_step("lead", "chi", evidence=evidence)), now=now)
    return start(ann, now=now)


def a_file(name="bill.txt", data=b"42.00\n", kind="text/plain"):
    return SimpleUploadedFile(name, data, kind)


def test_files_and_a_signature_come_with_the_decision(client_of, with_papers, chi):
    answer = act(
        client_of(chi), with_papers, "approve",
        new_files=[a_file(), a_file("two.txt", b"2")], new_signature=a_file("me.png", PNG, "x/y"),
    )  # fmt: skip
    assert answer.status_code == 303, answer.content.decode()
    task = Task.objects.get(holder=chi)
    place = f"instance:{with_papers.pk}:task:{task.pk}"
    bound = File.objects.filter(bound_to=place).values_list("name", flat=True)
    assert sorted(bound) == ["bill.txt", "me.png", "two.txt"]


def test_missing_papers_are_named_and_what_was_uploaded_stays(client_of, with_papers, chi):
    client = client_of(chi)
    before = everything()
    answer = act(client, with_papers, "approve", new_files=[a_file()])
    page = Page(answer)
    assert answer.status_code == 422
    assert "A signature is needed here." in page.text
    assert "bill.txt" in page.text
    assert everything() == before
    kept = File.objects.get(bound_to="")
    assert f'value="{kept.pk}"' in page.text
    again = client.post(address(with_papers), {
        **page.form_with("task_version"), "act": "approve", "attachments": [kept.pk],
        "new_signature": a_file("me.png", PNG, "image/png"),
    })  # fmt: skip
    assert again.status_code == 303
    kept.refresh_from_db()
    assert kept.bound_to.startswith(f"instance:{with_papers.pk}:task:")


@pytest.mark.parametrize(
    ("papers", "text"),
    [
        ({"new_files": [("empty.txt", b"")]}, "holds no bytes"),
        ({"new_files": [("evil.exe", b"MZ\x90\x00")]}, "is of a kind that is not taken"),
        ({"new_signature": ("me.txt", b"me")}, "A signature is a picture."),
        ({"new_files": [("a.txt", b"a")] * 21}, "At most 20 files, please."),
        ({"attachments": ["x" * 22]}, "signature"),
    ],
)
def test_papers_that_are_not_taken(client_of, with_papers, chi, papers, text):
    made = {
        name: [a_file(*each) for each in given] if name == "new_files"
        else a_file(*given) if name == "new_signature" else given
        for name, given in papers.items()
    }  # fmt: skip
    before = everything()
    answer = act(client_of(chi), with_papers, "approve", **made)
    assert answer.status_code == 422
    assert text in Page(answer).text
    assert everything() == before


def test_the_file_of_another_person_is_not_taken_along(client_of, with_papers, chi, dan, now):
    from flowadmin.files.storing import store  # noqa: PLC0415 - only here

    other = store(
        tenant_id=dan.tenant_id, owner_id=dan.pk, name="secret plan.txt", chunks=[b"x"], now=now
    )
    before = everything()
    answer = act(
        client_of(chi), with_papers, "approve", attachments=[other.pk],
        new_signature=a_file("me.png", PNG, "image/png"),
    )  # fmt: skip
    assert answer.status_code == 422
    assert "secret plan" not in answer.content.decode()
    assert everything() == before


def test_nothing_is_stored_for_who_comes_too_late(client_of, ann, bao, chi, dan, now):
    step = approve_step("lead", "chi", "dan", evidence={"files": "may"})
    publish(bao, a_document(step), now=now)
    filed = start(ann, now=now)
    hidden = decide_form(client_of(chi), address(filed))
    approve(dan, now=now)
    sent = {**hidden, "act": "approve", "new_files": [a_file()]}
    assert client_of(chi).post(address(filed), sent).status_code == 409
    assert not File.objects.exists()


# The initiator and the managers -----------------------------------------------------------------


def test_the_initiator_withdraws_with_a_comment(client_of, filed, ann, chi):
    before = rows()
    panel = client_of(chi).get(f"{address(filed)}acts/withdraw/")
    assert panel.status_code == 409
    assert client_of(chi).post(
        address(filed), {"act": "withdraw", "idempotency_key": "k"}
    ).status_code == 403  # fmt: skip
    assert rows() == before
    answer = steer(client_of(ann), filed, "withdraw", **{"act-comment": "No longer needed"})
    assert answer.status_code == 303
    filed.refresh_from_db()
    assert filed.state == "cancelled"
    again = client_of(ann).post(address(filed), {"act": "withdraw", "idempotency_key": "other"})
    assert again.status_code == 409


def test_managers_pause_and_resume(client_of, filed, admin):
    client = client_of(admin)
    before = everything()
    refused = steer(client, filed, "suspend", **{"act-reason": " "})
    assert refused.status_code == 422
    assert "This field is required." in refused.content.decode()
    assert everything() == before
    assert steer(client, filed, "suspend", **{"act-reason": "audit"}).status_code == 303
    filed.refresh_from_db()
    assert queries.state_of(filed).paused
    shown = buttons(client.get(address(filed)))
    assert "resume" in shown
    assert not {"suspend", "jump"} & shown
    late = client.post(
        address(filed), {"act": "suspend", "act-reason": "twice", "idempotency_key": "z"}
    )
    assert late.status_code == 409
    assert "twice" in late.content.decode()
    assert steer(client, filed, "resume", **{"act-reason": "done"}).status_code == 303


@pytest.mark.parametrize(
    ("to", "state"), [("lead", "running"), ("start", "running"), ("end", "approved")]
)
def test_managers_jump(client_of, filed, admin, to, state):
    answer = steer(client_of(admin), filed, "jump", **{"act-to": to, "act-reason": "why"})
    assert answer.status_code == 303
    filed.refresh_from_db()
    assert filed.state == state
    steps = Task.objects.filter(instance=filed, state="open").values_list("step", flat=True)
    assert list(steps) == ([] if to == "end" else [to])


def test_managers_end_and_reassign(client_of, filed, admin, chi, dan):
    client, task = client_of(admin), open_task(chi)
    answer = steer(
        client, filed, "reassign",
        **{"act-what": f"task-{task.pk}", "act-to": "dan", "act-reason": "ill"},
    )  # fmt: skip
    assert answer.status_code == 303
    assert open_task(dan).pk == task.pk
    before = rows()
    wrong = {"act-what": f"task-{task.pk}", "act-to": "nobody", "act-reason": "ill"}
    refused = steer(client, filed, "reassign", **wrong)
    assert refused.status_code == 422
    assert "There is no such active person." in refused.content.decode()
    assert rows() == before
    assert steer(client, filed, "cancel", **{"act-reason": "a mistake"}).status_code == 303
    filed.refresh_from_db()
    assert filed.state == "terminated"
    assert not buttons(client.get(address(filed))) - {"comment"}


def test_managers_name_a_person_for_a_held_step(client_of, bao, admin, chi, now):
    step = approve_step(
        "lead", who={"any_of": [{"by": "head", "of": "initiator", "missing": "none"}]},
        on_self="forbid",
    )  # fmt: skip
    publish(bao, a_document(step), now=now)
    filed = start(admin, now=now)
    activation = queries.state_of(filed).activations[0].number
    answer = steer(
        client_of(admin), filed, "reassign",
        **{"act-what": f"held-{activation}", "act-to": "chi", "act-reason": "nobody else"},
    )  # fmt: skip
    assert answer.status_code == 303
    assert open_task(chi).step == "lead"


def test_who_manages_nothing_steers_nothing(client_of, filed, ann, chi, eve):
    before = rows()
    for word in ("suspend", "resume", "jump", "reassign", "cancel"):
        sent = {"act": word, "act-reason": "x", "act-to": "end", "idempotency_key": "k"}
        for person, status in ((ann, 403), (chi, 403), (eve, 404)):
            assert client_of(person).post(address(filed), sent).status_code == status
        assert word not in buttons(client_of(ann).get(address(filed)))
    assert rows() == before


def test_a_task_of_another_request_is_not_given_away_here(
    client_of, filed, admin, ann, bao, chi, now
):
    other = start(ann, now=now)
    task = Task.objects.get(instance=other, state="open")
    before = rows()
    sent = {
        "act": "reassign", "act-what": f"task-{task.pk}", "act-to": "chi", "act-reason": "x",
        "idempotency_key": "k",
    }  # fmt: skip
    assert client_of(admin).post(address(filed), sent).status_code == 422
    assert rows() == before


# The inbox --------------------------------------------------------------------------------------


def test_the_inbox_says_what_is_overdue_and_for_whom_one_acts(client_of, filed, chi, dan, now):
    Task.objects.filter(holder=chi).update(due_at=now)
    text = client_of(chi).get("/inbox/").content.decode()
    assert "Overdue by" in text
    state = Instance.objects.get(pk=filed.pk).snapshot
    seat = next(each for each in state["activations"][0]["seats"] if each["holder"] == chi.pk)
    seat["absent"] = dan.pk
    Instance.objects.filter(pk=filed.pk).update(snapshot=state)
    assert f"Acting for {dan.name}" in client_of(chi).get("/inbox/").content.decode()
