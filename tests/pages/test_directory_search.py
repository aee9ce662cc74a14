"""`/directory/search` and what the designer is told of the tenant: names of one's own only."""

from __future__ import annotations

import json

import pytest

from flowadmin.directory.models import Calendar, Group, Post, RoleGrant, User
from flowadmin.directory.search import MOST_FOUND
from rules import asking
from tests.builders import a_department, a_person, a_role
from tests.workflow.flows import FORM, a_document, publish, rows
from workflow.models import Secret
from workflow.pages.designer_knowledge import knowledge_of

pytestmark = pytest.mark.django_db
SEARCH = "/directory/search"


@pytest.fixture
def designer(client_of, bao, demo_tenant):
    """bao, who may design."""
    a_role(demo_tenant, "drawing", members=[bao], grants=["flow.design"])
    return client_of(bao)


def found(client, **query):
    answer = client.get(SEARCH, query)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "private, no-store"
    return answer.json()["results"]


def codes(results):
    return [each["code"] for each in results]


# Who may search ------------------------------------------------------------------------------


def test_nobody_without_a_session_and_nobody_without_the_permission(client, client_of, chi):
    assert client.get(SEARCH, {"kind": "user", "text": "a"}).status_code == 401
    refused = client_of(chi).get(SEARCH, {"kind": "user", "text": "a"})
    assert refused.status_code == 403
    assert refused.json()["code"] == "permission.denied"
    assert "results" not in refused.json()


def test_a_permission_that_was_taken_away_is_gone_at_once(designer):
    assert found(designer, kind="user", text="ann")
    RoleGrant.objects.all().delete()
    assert designer.get(SEARCH, {"kind": "user", "text": "ann"}).status_code == 403


@pytest.mark.parametrize("kind", ["", "people", "calendar", "user; --"])
def test_an_unknown_kind_is_400(designer, kind):
    answer = designer.get(SEARCH, {"kind": kind, "text": "a"})
    assert answer.status_code == 400
    assert answer.json()["code"] == "query.malformed"


def test_only_get(designer):
    assert designer.post(SEARCH, {"kind": "user"}).status_code in {403, 405}


# What is found -------------------------------------------------------------------------------


def test_people_by_a_part_of_their_name_or_login(designer):
    [ann] = found(designer, kind="user", text="nn le")
    assert ann == {"code": "ann", "name": "Ann Lee", "note": "Engineering"}
    assert codes(found(designer, kind="user", text="DAN")) == ["dan"]
    assert found(designer, kind="user", text="%") == []


def test_those_that_begin_so_come_first_and_no_more_than_twenty(designer, demo_tenant):
    for number in range(MOST_FOUND + 5):
        a_person(demo_tenant, f"xx{number:02}-mu", name=f"Xu {number:02} Mu")
    a_person(demo_tenant, "mu.first", name="Mu First")
    results = found(designer, kind="user", text="mu")
    assert len(results) == MOST_FOUND
    assert results[0]["code"] == "mu.first"


def test_nobody_of_another_tenant_and_nobody_who_left(designer, ann, eve):
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert found(designer, kind="user", text="eve") == []
    assert found(designer, kind="user", codes="eve") == []
    assert found(designer, kind="user", text="ann") == []
    # Whoever is named already is told by name, and that he left.
    [named] = found(designer, kind="user", codes="ann,nobody,ann")
    assert named["name"] == "Ann Lee"
    assert "deactivated" in named["note"]


def test_departments_roles_groups_and_posts(designer, demo_tenant):
    Group.objects.create(tenant=demo_tenant, code="night", name="Night shift")
    Post.objects.create(tenant=demo_tenant, code="driver", name="Driver")
    assert codes(found(designer, kind="group", text="shift")) == ["night"]
    assert codes(found(designer, kind="post", text="driv")) == ["driver"]
    assert codes(found(designer, kind="role", text="drawing")) == ["drawing"]
    [unit] = found(designer, kind="department", text="finan")
    assert unit == {"code": "finance", "name": "Finance", "note": "Head office"}


# What the designer is told ---------------------------------------------------------------------


def test_the_designer_is_told_the_names_that_the_document_mentions(bao, ann, demo_tenant, eve):
    document = a_document(
        {
            "id": "lead",
            "kind": "approve",
            "name": "Lead",
            "who": {"any_of": [{"by": "user", "ids": ["ann", "eve", "nobody", 7, None]}]},
            "decide": {"mode": "vote", "need": {"count": 1}, "weights": {"dan": 2}},
        },
        {"id": "odd", "who": "text", "branches": [{"when": {"initiator": "is", "ids": ["chi"]}}]},
    )
    known = knowledge_of(bao, document, None)
    assert sorted(codes(known["users"])) == ["ann", "chi", "dan"]
    assert "finance" in codes(known["departments"])
    assert {"default", "long", "none"} == set(codes(known["retries"]))


def test_keys_are_told_and_never_what_is_behind_them(bao, eve, now, demo_tenant):
    Secret.objects.create(tenant=demo_tenant, key="token", sealed="SEALED", changed_at=now)
    Secret.objects.create(tenant=eve.tenant, key="theirs", sealed="SEALED", changed_at=now)
    week = {"mon": [["09:00", "17:00"]]}
    Calendar.objects.create(tenant=eve.tenant, key="theirs", name="Theirs", hours=week)
    a_department(eve.tenant, "their-unit")
    asking.register("fin", "score", lambda values: values)
    try:
        publish(bao, a_document(key="expense"), FORM, now=now)
        known = knowledge_of(bao, {}, None)
    finally:
        asking.unregister("fin", "score")
    assert codes(known["secrets"]) == ["token"]
    assert {"code": "fin/score", "name": "fin/score", "versions": [1]} in known["rules"]
    [flow] = [each for each in known["flows"] if each["code"] == "expense"]
    assert [field["code"] for field in flow["fields"]] == ["amount", "reason", "secret"]
    text = json.dumps(known)
    assert "SEALED" not in text
    assert "their" not in text


def test_what_is_told_costs_as_many_statements_for_much_as_for_little(
    bao, now, django_assert_max_num_queries
):
    sources = [{"by": "user", "ids": [f"p{number}" for number in range(90)]}] * 5
    steps = [{"id": f"s{n}", "kind": "approve", "who": {"any_of": sources}} for n in range(50)]
    with django_assert_max_num_queries(15):
        knowledge_of(bao, {"steps": steps}, {"fields": "broken"})


# The form as it will look ------------------------------------------------------------------------


def preview(client, body):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post("/design/form-preview", raw, content_type="application/json")


def test_the_form_of_a_draft_is_shown_as_the_server_shows_it(designer):
    before = rows()
    fields = [
        *FORM["fields"],
        {"id": "note", "type": "note", "label": "<b>N</b>", "help": "<script>x</script>"},
    ]
    answer = preview(designer, {"formdoc": 1, "fields": fields})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'name="preview-amount"' in page
    assert "<fieldset disabled>" in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert rows() == before


def test_a_form_that_is_not_ready_is_answered_with_its_problems(designer):
    answer = preview(designer, {"formdoc": 1, "fields": [{"id": "x", "type": "choice"}]})
    assert answer.status_code == 200
    assert "preview-x" not in answer.content.decode()
    assert "field-error" in answer.content.decode()


def test_the_preview_is_for_designers_and_takes_json_only(designer, client, client_of, chi):
    form = {"formdoc": 1, "fields": []}
    assert preview(client, form).status_code == 302
    assert preview(client_of(chi), form).status_code == 403
    assert preview(designer, b"{").status_code == 400
    assert preview(designer, b"x" * (1024 * 1024 + 1)).status_code == 413
    assert designer.get("/design/form-preview").status_code == 405
    assert "no fields yet" in preview(designer, form).content.decode()
