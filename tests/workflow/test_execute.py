"""The one writer: one transaction per command, statuses in order, keys answered once."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from flowadmin.rest.idempotency import Receipt
from flowadmin.rest.models import StoredRequest
from flowadmin.rest.problems import Problem
from tests.workflow import flows
from workflow import access
from workflow.actions import administration, approvals, requests
from workflow.models import Event, Instance, Task
from workflow.recorded import read
from workflow.runtime import subscribers
from workflow.runtime.execute import Once


@pytest.fixture
def published(ann, now):
    return flows.publish(ann, flows.big_and_small(), now=now)


def once(user, key="k1", body="b"):
    receipt = Receipt(user.pk, user.tenant_id, "test", key, body)
    return Once(receipt, lambda outcome: (200, {"state": outcome.state.status}))


def test_start_to_approved(published, ann, bao, dan, now):
    instance = flows.start(ann, now=now)
    assert instance.state == "running"
    flows.approve(bao, now=now, comment="fine")
    outcome = flows.approve(dan, now=now)
    assert outcome.state.status == "approved"
    instance.refresh_from_db()
    assert (instance.state, instance.ended_at) == ("approved", now)
    decided = Task.objects.order_by("id").values_list("holder__login", "state", "reason")
    assert list(decided) == [("bao", "approved", "human"), ("dan", "approved", "human")]


def test_a_small_amount_ends_after_the_head(published, ann, bao, now):
    flows.start(ann, now=now, amount="10000")
    assert flows.approve(bao, now=now).state.status == "approved"


def test_a_rejection_ends_the_request(published, ann, bao, now):
    flows.start(ann, now=now)
    assert flows.reject(bao, now=now, comment="no").state.status == "rejected"
    assert not Task.objects.filter(state__in=["open", "blocked"]).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="the count of SQLite is the one promised"
)
def test_a_life_is_few_statements_in_three_transactions(published, ann, bao, dan, now):
    """performance.md section 6: counted, so free of noise. A process compiles a version once.

    Twenty for the request itself, as promised there; its notices add one for each decision that
    gives somebody a task, and one for each whose task the person himself has decided.
    """
    flows.start(ann, now=now)
    flows.reject(bao, now=now)
    sent = []
    with CaptureQueriesContext(connection) as captured:
        requests.start_request(
            user=ann, flow="expense", values={"amount": "12000"}, now=now, once=once(ann)
        )
    sent += captured.captured_queries
    for person in (bao, dan):
        task = flows.open_task(person)
        with CaptureQueriesContext(connection) as captured:
            approvals.approve(task=task, user=person, version=1, now=now, once=once(person))
        sent += captured.captured_queries
    assert Instance.objects.order_by("-pk")[0].state == "approved"
    words = [each["sql"].split()[0] for each in sent]
    assert words.count("BEGIN") == words.count("COMMIT") == 3
    notices = [each["sql"].split()[0] for each in sent if "flow_notice" in each["sql"]]
    assert notices.count("INSERT") == 2, "for bao and for dan; nothing has a deadline"
    assert notices.count("UPDATE") == len(notices) - 2 == 2, "each decided his own: it is no news"
    assert len([word for word in words if word not in {"BEGIN", "COMMIT"}]) - len(notices) <= 20


def test_a_key_gives_the_first_answer_again(published, ann, bao, now):
    first = requests.start_request(
        user=ann, flow="expense", values={"amount": "1"}, now=now, once=once(ann)
    )
    again = requests.start_request(
        user=ann, flow="expense", values={"amount": "1"}, now=now, once=once(ann)
    )
    assert first.outcome is not None
    assert again.stored is not None
    assert again.stored.status == 200
    assert Instance.objects.count() == 1
    assert StoredRequest.objects.count() == 1


def test_a_key_with_another_body_is_refused(published, ann, now):
    values = {"amount": "1"}
    requests.start_request(user=ann, flow="expense", values=values, now=now, once=once(ann))
    with pytest.raises(Problem) as refused:
        requests.start_request(
            user=ann, flow="expense", values=values, now=now, once=once(ann, body="other")
        )
    assert (refused.value.status, refused.value.code) == (422, "idempotency.other_body")
    assert Instance.objects.count() == 1


def test_a_repeated_decision_gets_its_first_answer(published, ann, bao, now):
    flows.start(ann, now=now)
    task = flows.open_task(bao)
    arguments = {"task": task, "user": bao, "version": 1, "now": now}
    approvals.approve(**arguments, once=once(bao))
    before = flows.rows()
    again = approvals.approve(**arguments, once=once(bao))
    assert again.stored is not None
    assert flows.rows() == before


def test_a_closed_task_says_who_and_when(published, ann, bao, now):
    flows.start(ann, now=now)
    task = flows.open_task(bao)
    approvals.approve(task=task, user=bao, version=1, now=now)
    before = flows.rows()
    with pytest.raises(Problem) as refused:
        approvals.reject(task=task, user=bao, version=1, now=now)
    assert refused.value.status == 409
    assert refused.value.members == {
        "handled_by": bao.name,
        "handled_at": now,
        "decision": "approved",
    }
    assert flows.rows() == before


def test_a_siblings_decision_is_told_as_his(ann, bao, dan, now):
    step = flows.approve_step("any_of_two", "bao", "dan")
    flows.publish(ann, flows.a_document(step), now=now)
    flows.start(ann, now=now)
    late = flows.open_task(dan)
    flows.approve(bao, now=now)
    with pytest.raises(Problem) as refused:
        approvals.approve(task=late, user=dan, version=late.version, now=now)
    assert refused.value.members["handled_by"] == bao.name
    assert refused.value.members["decision"] == "approved"


def test_a_moved_version_says_who_moved_it(published, ann, bao, dan, admin, now):
    flows.start(ann, now=now)
    task = flows.open_task(bao)
    administration.reassign(task=task, to=dan, user=admin, reason="away", now=now)
    administration.reassign(
        task=access.own_task(dan, task.pk), to=bao, user=admin, reason="back", now=now
    )
    before = flows.rows()
    with pytest.raises(Problem) as refused:
        approvals.approve(task=task, user=bao, version=1, now=now)
    assert refused.value.status == 412
    assert refused.value.members["current_version"] == 3
    assert refused.value.members["changed_by"] == admin.name
    assert refused.value.members["changed_at"] == now
    assert flows.rows() == before


def test_somebody_elses_task_is_refused_before_its_state(published, ann, bao, dan, now):
    flows.start(ann, now=now)
    task = flows.open_task(bao)
    before = flows.everything()
    with pytest.raises(Problem) as refused:
        approvals.approve(task=task, user=dan, version=99, now=now, form={"amount": "1"})
    assert refused.value.status == 403
    assert flows.everything() == before


def test_a_forbidden_change_is_refused_and_nothing_is_stored(ann, bao, now):
    rights = {"default": "read", "set": {"reason": "edit", "secret": "hide"}}
    step = flows.approve_step("lead", "bao", fields=rights)
    flows.publish(ann, flows.a_document(step), now=now)
    flows.start(ann, now=now, secret="planted")
    before = flows.everything()
    for change, code in (
        ({"amount": "1"}, "form.not_editable"),
        ({"secret": "x"}, "form.unknown_field"),
        ({"nothing": "x"}, "form.unknown_field"),
    ):
        with pytest.raises(Problem) as refused:
            flows.approve(bao, now=now, form=change)
        assert refused.value.status == 422
        assert [each["code"] for each in refused.value.errors] == [code]
    assert flows.everything() == before
    outcome = flows.approve(bao, now=now, form={"reason": "seen"})
    assert outcome.state.values["reason"] == "seen"


def test_what_a_subscriber_raises_undoes_the_decision(published, ann, bao, now, monkeypatch):
    flows.start(ann, now=now)
    before = flows.everything(), flows.rows()

    def failing(happened):
        raise IntegrityError("the row of a notice could not be written")

    monkeypatch.setattr(subscribers, "_subscribers", [failing])
    with pytest.raises(IntegrityError):
        flows.approve(bao, now=now)
    assert (flows.everything(), flows.rows()) == before


def test_a_history_cannot_fork(published, ann, now):
    instance = flows.start(ann, now=now)
    twin = Event.objects.filter(instance=instance).first()
    twin.pk = 1
    with pytest.raises(IntegrityError):
        twin.save(force_insert=True)


def test_a_running_request_stays_on_its_version(published, ann, bao, dan, now):
    """P50: published versions stand side by side."""
    instance = flows.start(ann, now=now)
    newer = flows.publish(ann, flows.a_document(flows.approve_step("other", "chi")), now=now)
    assert newer.number == 2
    flows.approve(bao, now=now)
    flows.approve(dan, now=now)
    instance.refresh_from_db()
    assert (instance.state, instance.version_id) == ("approved", published.pk)
    assert flows.start(ann, now=now).version_id == newer.pk


def test_publishing_the_same_again_makes_no_version(published, ann, now):
    again = flows.publish(ann, flows.big_and_small(), now=now)
    assert again.pk == published.pk


def test_numbers_are_distinct_and_counted(published, ann, now):
    numbers = [flows.start(ann, now=now).number for _ in range(3)]
    assert numbers == ["000001", "000002", "000003"]


def test_a_series_begins_anew_each_year(ann, now):
    numbering = {"prefix": "EXP-", "period": "year", "width": 4}
    flows.publish(ann, flows.a_document(number=numbering), now=now)
    first = [flows.start(ann, now=now).number for _ in range(2)]
    assert first == ["EXP-2026-0001", "EXP-2026-0002"]
    assert flows.start(ann, now=now.replace(year=2027)).number == "EXP-2027-0001"


def test_the_history_is_in_order_and_whole(published, ann, bao, now):
    instance = flows.start(ann, now=now)
    flows.approve(bao, now=now)
    history = list(read(instance.pk))
    assert [each.position for each in history] == list(range(1, len(history) + 1))
    assert {each.actor_id for each in history} == {ann.pk, bao.pk}
