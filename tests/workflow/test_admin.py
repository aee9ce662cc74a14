"""The administration of workflow: read, found, limited to the tenant, and acted upon."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from flowadmin.directory.models import User
from tests.builders import a_person, a_role, a_tenant
from tests.workflow import flows
from workflow.actions import editing
from workflow.engine.commands import Answered
from workflow.engine.editing import Wanted
from workflow.models import Event, Instance, Task, Version
from workflow.recorded import read
from workflow.runtime.execute import execute

MODELS = ["definition", "version", "instance", "task", "step", "job", "event"]
COPY = {
    "id": "tell",
    "kind": "copy",
    "name": "Tell finance",
    "who": {"any_of": [{"by": "department", "ids": ["finance"]}]},
}
# The administrator of `demo` has nobody above: his own requests are held here.
HELD = flows.approve_step(
    "lead",
    who={"any_of": [{"by": "head", "of": "initiator", "missing": "none"}]},
    on_self="forbid",
)


def page(name, *args):
    return reverse(f"admin:workflow_{name}", args=args)


def everything():
    """What a denied act must leave as it is, Django's own log included."""
    return flows.rows(), flows.everything(), LogEntry.objects.count()


@pytest.fixture
def published(ann, now):
    return flows.publish(ann, flows.big_and_small(), now=now)


@pytest.fixture
def running(published, ann, now):
    return flows.start(ann, now=now, reason="a bridge")


@pytest.fixture
def held(admin, now):
    flows.publish(admin, flows.a_document(HELD, key="held"), now=now)
    return flows.start(admin, "held", now=now)


@pytest.fixture
def boss(client_of, admin):
    return client_of(admin)


@pytest.fixture
def manager(demo_tenant):
    """Staff of `demo` with flow.manage, no operator."""
    person = a_person(demo_tenant, "mia", is_staff=True)
    a_role(demo_tenant, "stewards", members=[person], grants=["flow.manage"])
    return person


@pytest.fixture
def foreign(db, now):
    """A running request of another tenant."""
    tenant = a_tenant("acme")
    zoe, yan = a_person(tenant, "zoe"), a_person(tenant, "yan")
    flows.publish(zoe, flows.a_document(flows.approve_step("lead", "yan")), now=now)
    return flows.start(zoe, now=now), zoe, yan


def act(client, name, action, rows, **answers):
    data = {"action": action, "_selected_action": [row.pk for row in rows], **answers}
    return client.post(page(f"{name}_changelist"), data, follow=True)


def confirm(client, name, action, rows, **answers):
    return act(client, name, action, rows, confirmed="yes", **answers)


def told(answer):
    return [str(message) for message in answer.context["messages"]]


# Reading -------------------------------------------------------------------------------------


@pytest.fixture
def a_life(ann, bao, now):
    """A request that has a row in every table."""
    flows.publish(ann, flows.a_document(flows.approve_step(), COPY), now=now)
    instance = flows.start(ann, now=now, reason="<script>alert(1)</script>")
    flows.approve(bao, now=now, comment="<b>fine</b>")
    return instance


@pytest.mark.parametrize("model", MODELS)
def test_every_list_and_page_opens(a_life, boss, model):
    for query in ("", "?q=bao", "?o=1.-2", "?q=%25%27", "?state__exact=nix"):
        answer = boss.get(page(f"{model}_changelist") + query, follow=True)
        assert answer.status_code == 200, query
    from django.apps import apps  # noqa: PLC0415 - after Django's set-up

    first = apps.get_model("workflow", model).objects.first()
    assert first is not None
    for name in ("change", "history"):
        answer = boss.get(page(f"{model}_{name}", first.pk))
        assert answer.status_code == 200
        text = answer.content.decode()
        assert "<script>alert" not in text
        assert "style=" not in text
        assert "<style" not in text


@pytest.mark.parametrize("model", MODELS)
def test_nobody_adds_changes_or_deletes(a_life, boss, client_of, manager, model):
    from django.apps import apps  # noqa: PLC0415 - after Django's set-up

    row = apps.get_model("workflow", model).objects.first()
    before = everything()
    for client in (boss, client_of(manager)):
        for method in ("get", "post"):
            answer = getattr(client, method)(page(f"{model}_add"), {"state": "approved"})
            assert answer.status_code == 403
            answer = getattr(client, method)(page(f"{model}_delete", row.pk), {"post": "yes"})
            assert answer.status_code == 403
        changed = client.post(page(f"{model}_change", row.pk), {"state": "x", "title": "x"})
        assert changed.status_code == 403
        act(client, model, "delete_selected", [row], post="yes")
    assert everything() == before


def test_requests_are_found_by_number_title_and_person(running, ann, boss, now):
    other = flows.start(User.objects.get(login="chi"), now=now)
    for word, found in (
        (running.number, {running.pk}),
        ("Ann Lee", {running.pk}),
        ("ann", {running.pk}),
        ("chi", {other.pk}),
        ("Bao Chen", {running.pk, other.pk}),
        ("bao", {running.pk, other.pk}),
        ("nobody", set()),
    ):
        answer = boss.get(page("instance_changelist"), {"q": word})
        assert {row.pk for row in answer.context["cl"].result_list} == found, word


def test_lists_are_filtered(running, held, boss):
    def found(model, **query):
        answer = boss.get(page(f"{model}_changelist"), query)
        return {row.pk for row in answer.context["cl"].result_list}

    assert found("instance", held="yes") == {held.pk}
    assert found("instance", held="no") == {running.pk}
    assert found("instance", process=str(held.definition_id)) == {held.pk}
    assert found("instance", process="999") == found("instance", process="nix") == set()
    assert found("instance", state__exact="approved") == set()
    assert found("task", process=str(running.definition_id), state__exact="open") == {
        Task.objects.get().pk
    }
    assert found("task", q="bao") == {Task.objects.get().pk}


def test_a_request_shows_its_form_its_people_and_its_history(running, boss, bao, now):
    flows.approve(bao, now=now, comment="looks right")
    answer = boss.get(page("instance_change", running.pk))
    text = answer.content.decode()
    for word in ("12000", "a bridge", "Bao Chen", "looks right", "task_approved", "Dan Liu"):
        assert word in text, word
    assert reverse("request", args=[running.pk]) in text
    assert [entry["comment"] for entry in answer.context["timeline"] if entry["comment"]] == [
        "looks right"
    ]


def test_a_list_costs_the_same_however_many_rows_it_has(running, ann, boss, now):
    def cost():
        with CaptureQueriesContext(connection) as captured:
            boss.get(page("instance_changelist"))
            boss.get(page("task_changelist"))
        return len(captured)

    one = cost()
    for _ in range(5):
        flows.start(ann, now=now)
    assert cost() == one


# Who may look --------------------------------------------------------------------------------


def test_who_does_not_manage_requests_sees_nothing(running, client_of, demo_tenant, ann):
    clerk = a_person(demo_tenant, "cem", is_staff=True)
    a_role(demo_tenant, "keepers", members=[clerk], grants=["directory.manage"])
    before = everything()
    for person, status in ((clerk, 403), (ann, 302)):
        client = client_of(person)
        for model in MODELS:
            assert client.get(page(f"{model}_changelist")).status_code == status
        assert client.get(page("instance_change", running.pk)).status_code == status
        answer = client.post(
            page("instance_changelist"),
            {
                "action": "terminate",
                "_selected_action": [running.pk],
                "confirmed": "yes",
                "reason": "x",
            },
        )
        assert answer.status_code == status
    assert everything() == before


def test_staff_see_and_steer_their_own_tenant_only(running, foreign, client_of, manager):
    theirs = foreign[0]
    client = client_of(manager)
    listed = client.get(page("instance_changelist")).context["cl"].result_list
    assert [row.pk for row in listed] == [running.pk]
    tasks = client.get(page("task_changelist")).context["cl"].result_list
    assert {row.instance_id for row in tasks} == {running.pk}
    assert "acme" not in client.get(page("instance_changelist")).content.decode()
    before = everything()
    assert client.get(page("instance_change", theirs.pk)).status_code == 302
    assert client.get(page("instance_act", theirs.pk, "terminate")).status_code == 404
    answer = confirm(client, "instance", "terminate", [theirs], reason="mine now")
    assert told(answer) == ["Nothing was chosen that exists."]
    assert everything() == before


# Acts ----------------------------------------------------------------------------------------


def test_an_operator_reassigns_a_task_and_the_timeline_says_who_and_why(
    running, boss, admin, bao, dan
):
    task = Task.objects.get()
    asked = act(boss, "task", "reassign", [task])
    assert asked.templates[0].name == "admin/workflow/confirm.html"
    assert "Bao Chen" in asked.content.decode()
    assert Task.objects.get().holder == bao
    answer = confirm(boss, "task", "reassign", [task], to="dan", reason="Bao is away")
    assert "given to Dan Liu" in told(answer)[0]
    assert Task.objects.get().holder == dan
    last = list(read(running.pk))[-1]
    assert (last.actor_id, last.event.comment) == (admin.pk, "Bao is away")
    text = boss.get(page("instance_change", running.pk)).content.decode()
    assert "Bao is away" in text
    assert "Administrator" in text
    assert "Bao is away" in LogEntry.objects.get().change_message


def test_a_manager_of_the_tenant_ends_requests(published, ann, client_of, manager, now):
    two = [flows.start(ann, now=now) for _ in range(2)]
    answer = confirm(client_of(manager), "instance", "terminate", two, reason="filed twice")
    assert len(told(answer)) == 2
    assert set(Instance.objects.values_list("state", flat=True)) == {"terminated"}
    assert not Task.objects.filter(state="open").exists()
    last = list(read(two[0].pk))[-1]
    assert (last.actor_id, last.event.comment) == (manager.pk, "filed twice")


def test_a_held_request_goes_on_with_the_person_who_was_named(held, boss, chi):
    text = boss.get(page("instance_change", held.pk)).content.decode()
    assert page("instance_act", held.pk, "assign_held") in text
    asked = boss.get(page("instance_act", held.pk, "assign_held"))
    assert asked.status_code == 200
    assert '<option value="chi">Chi Wang</option>' in asked.content.decode()
    confirm(boss, "instance", "assign_held", [held], to="chi", reason="nobody above")
    held.refresh_from_db()
    assert held.held is None
    assert Task.objects.get(instance=held).holder == chi


def test_a_held_step_that_asks_outside_is_tried_again(held, boss, admin, now):
    call = {
        "id": "c",
        "kind": "http",
        "name": "Call",
        "method": "POST",
        "url": "https://a.example",
    }
    flows.publish(admin, flows.a_document(call, flows.approve_step(), key="calls"), now=now)
    filed = flows.start(admin, "calls", now=now)
    execute(
        tenant_id=filed.tenant_id, instance_id=filed.pk, actor_id=None, now=now,
        command=Answered(1, ok=False, code="http.failed"),
    )  # fmt: skip
    offered = boss.get(page("instance_change", filed.pk)).content.decode()
    assert page("instance_act", filed.pk, "retry") in offered
    # Where nobody was found there is nothing to try again.
    offered = boss.get(page("instance_change", held.pk)).content.decode()
    assert page("instance_act", held.pk, "retry") not in offered
    answer = confirm(boss, "instance", "retry", [filed, held], reason="up again")
    assert len(told(answer)) == 2
    assert list(Instance.objects.filter(held__isnull=True)) == [filed]


def test_a_requests_own_version_is_opened_and_not_listed(
    running, boss, admin, bao, foreign, client_of, manager, now
):
    wanted = Wanted("insert_approve", after="lead", name="Look", people=(bao.pk,))
    editing.edit_future(instance=running, user=admin, edits=[wanted], reason="x", now=now)
    own = Version.with_private.get(private_to=running)
    assert boss.get(page("version_change", own.pk)).status_code == 200
    listed = boss.get(page("version_changelist")).content.decode()
    assert page("version_change", own.pk) not in listed
    other = foreign[0].version_id
    assert client_of(manager).get(page("version_change", own.pk)).status_code == 200
    assert client_of(manager).get(page("version_change", other)).status_code == 302


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ({"to": "dan", "reason": ""}, "reason"),
        ({"to": "dan", "reason": "  \n "}, "reason"),
        ({"to": "dan", "reason": "a\x00b"}, "reason"),
        ({"to": "", "reason": "x"}, "to"),
        ({"to": "nobody", "reason": "x"}, "to"),
        ({"to": "eve", "reason": "another tenant"}, "to"),
        ({"to": "off", "reason": "disabled"}, "to"),
    ],
)
def test_bad_answers_are_asked_again_and_nothing_happens(
    running, boss, demo_tenant, answers, field
):
    a_person(demo_tenant, "off", is_active=False)
    before = everything()
    answer = confirm(boss, "task", "reassign", [Task.objects.get()], **answers)
    assert answer.context["form"].errors[field]
    assert everything() == before


def test_each_row_is_told_on_its_own(published, ann, boss, bao, dan, now):
    ended = flows.start(ann, now=now)
    flows.reject(bao, now=now)
    going = flows.start(ann, now=now)
    answer = confirm(boss, "instance", "terminate", [ended, going], reason="tidy")
    messages = sorted(told(answer))
    assert any("This request has ended." in text for text in messages)
    assert any(text.endswith(": ended.") for text in messages)
    ended.refresh_from_db()
    going.refresh_from_db()
    assert (ended.state, going.state) == ("rejected", "terminated")


def test_the_same_holder_twice_is_refused_and_nothing_is_written(running, boss):
    before = everything()
    answer = confirm(boss, "task", "reassign", [Task.objects.get()], to="bao", reason="again")
    assert "already holds" in told(answer)[0]
    assert everything() == before


def test_an_operator_acts_on_another_tenant_with_its_own_people(foreign, running, boss, admin):
    theirs, zoe, _yan = foreign
    text = boss.get(page("instance_change", theirs.pk)).content.decode()
    assert "viewsitelink" not in text
    task = Task.objects.get(instance=theirs)
    before = everything()
    refused = confirm(boss, "task", "reassign", [task], to="dan", reason="not one of them")
    assert refused.context["form"].errors["to"]
    both = confirm(boss, "task", "reassign", list(Task.objects.all()), to="zoe", reason="x")
    assert told(both) == ["Choose rows of one tenant: a person belongs to one."]
    assert everything() == before
    confirm(boss, "task", "reassign", [task], to="zoe", reason="holiday")
    task.refresh_from_db()
    assert task.holder == zoe
    assert Event.objects.filter(instance=theirs).order_by("pk").last().actor == admin


@pytest.mark.parametrize("chosen", ["abc", "-1", "9" * 30, "1;2", ""])
def test_strange_ids_are_no_server_error(running, boss, chosen):
    before = everything()
    answer = boss.post(
        page("instance_changelist"),
        {"action": "terminate", "_selected_action": chosen, "confirmed": "yes", "reason": "x"},
    )
    assert answer.status_code == 400
    assert boss.get(f"/admin/workflow/instance/{chosen or 'x'}/change/").status_code in {302, 404}
    assert boss.get(page("instance_act", 10**30, "terminate")).status_code == 404
    assert boss.get(page("instance_act", running.pk, "nix")).status_code == 404
    assert boss.post(page("instance_act", running.pk, "terminate")).status_code == 405
    assert everything() == before


def test_an_act_needs_the_form_token(running, client_of, admin):
    client = client_of(admin, enforce_csrf_checks=True)
    before = everything()
    answer = confirm(client, "instance", "terminate", [running], reason="forged")
    assert answer.status_code == 403
    assert everything() == before


def test_the_administration_speaks_chinese_where_django_does(running, boss):
    text = boss.get(
        page("instance_changelist"), headers={"accept-language": "zh-hans"}
    ).content.decode()
    assert 'lang="zh-hans"' in text


# Steering ------------------------------------------------------------------------------------


def test_requests_are_paused_and_resumed(running, ann, admin, boss, now):
    other = flows.start(ann, now=now)
    assert len(told(confirm(boss, "instance", "pause", [running, other], reason="audit"))) == 2
    assert {event_of(each) for each in (running, other)} == {"instance_paused"}
    offered = boss.get(page("instance_change", running.pk)).content.decode()
    assert "Resume with a reason…" in offered
    assert "Jump to a step…" not in offered
    before = everything()
    again = confirm(boss, "instance", "pause", [running], reason="twice")
    assert "This request is paused." in told(again)[0]
    assert everything() == before
    confirm(boss, "instance", "resume", [running], reason="done")
    assert event_of(running) == "instance_resumed"


def event_of(instance):
    return Event.objects.filter(instance=instance).order_by("-position")[0].kind


def test_a_request_jumps_to_a_step_of_its_process(running, boss, dan, bao, now):
    asked = act(boss, "instance", "jump", [running]).content.decode()
    assert '<option value="lead">' in asked
    assert '<option value="end">' in asked
    before = everything()
    for answers in ({"to": "nowhere", "reason": "x"}, {"to": "lead"}, {"reason": "x"}):
        assert confirm(boss, "instance", "jump", [running], **answers).context["form"].errors
    assert everything() == before
    confirm(boss, "instance", "jump", [running], to="finance", reason="urgent")
    assert flows.open_task(dan).instance_id == running.pk
    assert not Task.objects.filter(holder=bao, state="open").exists()


def test_requests_of_two_processes_do_not_jump_together(running, ann, boss, now):
    flows.publish(ann, flows.a_document(flows.approve_step(), key="other"), now=now)
    other = flows.start(ann, "other", now=now)
    before = everything()
    answer = act(boss, "instance", "jump", [running, other])
    assert "one process" in told(answer)[0]
    assert everything() == before


# Leavers -------------------------------------------------------------------------------------


def hand_over(client, people, **answers):
    data = {
        "action": "hand_over", "_selected_action": [each.pk for each in people], **answers,
    }  # fmt: skip
    return client.post(reverse("admin:directory_user_changelist"), data, follow=True)


def test_everything_of_a_leaver_is_handed_over(running, ann, bao, dan, boss, now):
    other = flows.start(ann, now=now)
    asked = hand_over(boss, [bao]).content.decode()
    assert running.number in asked
    assert other.number in asked
    answer = hand_over(boss, [bao], confirmed="yes", to="dan", reason="bao has left")
    assert told(answer) == ["2 tasks were handed over to Dan Liu."]
    assert Task.objects.filter(holder=dan, state="open").count() == 2
    assert not Task.objects.filter(holder=bao, state="open").exists()
    assert LogEntry.objects.filter(object_id=str(bao.pk)).count() == 1
    nothing = hand_over(boss, [bao], confirmed="yes", to="dan", reason="again")
    assert told(nothing) == ["0 tasks were handed over to Dan Liu."]


def test_what_cannot_be_handed_over_is_told(ann, bao, dan, boss, now):
    flows.publish(ann, flows.a_document(flows.approve_step("lead", "bao", "dan")), now=now)
    filed = flows.start(ann, now=now)
    answer = hand_over(boss, [bao], confirmed="yes", to="dan", reason="bao has left")
    assert filed.number in told(answer)[0]
    assert "already holds a task of this step" in told(answer)[0]
    assert Task.objects.filter(holder=bao, state="open").count() == 1


@pytest.mark.parametrize(
    "answers",
    [{"to": "dan"}, {"to": "nobody", "reason": "x"}, {"to": "eve", "reason": "x"}],
)
def test_a_wrong_answer_hands_nothing_over(running, bao, boss, answers):
    before = everything()
    answer = hand_over(boss, [bao], confirmed="yes", **answers)
    assert answer.context["form"].errors
    assert everything() == before


def test_a_leaver_is_not_his_own_heir_and_two_are_too_many(running, bao, dan, boss):
    before = everything()
    itself = hand_over(boss, [bao], confirmed="yes", to="bao", reason="x")
    assert "somebody else" in told(itself)[0]
    both = hand_over(boss, [bao, dan], confirmed="yes", to="chi", reason="x")
    assert told(both) == ["Choose one person."]
    assert hand_over(boss, [], confirmed="yes", to="chi", reason="x").status_code == 200
    data = {"action": "hand_over", "_selected_action": "abc"}
    assert boss.post(reverse("admin:directory_user_changelist"), data).status_code == 400
    assert everything() == before


def test_who_manages_only_people_hands_nothing_over(running, bao, demo_tenant, client_of):
    clerk = a_person(demo_tenant, "cleo", is_staff=True)
    a_role(demo_tenant, "clerks", members=[clerk], grants=["directory.manage"])
    client = client_of(clerk)
    text = client.get(reverse("admin:directory_user_changelist")).content.decode()
    assert 'value="hand_over"' not in text
    before = everything()
    hand_over(client, [bao], confirmed="yes", to="dan", reason="x")
    assert everything() == before
