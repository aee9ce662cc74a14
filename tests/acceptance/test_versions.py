"""Acceptance tests 78 and 85 to 92: tenants, lists, and what must never be lost."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.urls import reverse

from flowadmin.directory.models import RoleMember
from flowadmin.rest.problems import Problem
from tests.acceptance.acting import (
    approve,
    block,
    filed,
    fresh,
    human,
    in_box,
    kinds,
    open_now,
    task_of,
)
from tests.builders import a_person, a_role
from tests.engine import builders
from tests.engine import test_blocks as blocks
from tests.engine.builders import a_field, choice, drive, step
from tests.engine.test_blocks import one, open_steps
from tests.workflow import flows
from workflow.engine.commands import Withdraw
from workflow.engine.parsing import decode
from workflow.engine.plan import END, compile_plan
from workflow.engine.rejections import NotAllowed
from workflow.engine.state import InstanceState
from workflow.models import Definition, Instance, Task, Version
from workflow.runtime.transactions import TRIES, again_on_conflict


def pages_open(client, addresses: list[str]) -> None:
    for address in addresses:
        assert client.get(address, follow=True).status_code == 200, address


def test_n78_a_process_without_versions_or_steps_opens_everywhere(
    ann, bao, admin, api, client_of, later, now
) -> None:
    """Neither a key nobody has published, nor start and end alone, breaks a page or an address."""
    empty = Definition.objects.create(
        tenant=ann.tenant, key="unborn", name="Unborn", created_at=now
    )
    flows.publish(ann, flows.a_document(key="bare") | {"steps": []}, now=later())
    bare = Definition.objects.get(key="bare")
    instance = flows.start(ann, "bare", now=later())
    assert instance.state == "approved", "nothing to decide: start and end"
    pages_open(client_of(ann), ["/start/", "/start/bare/", "/mine/", f"/requests/{instance.pk}/"])
    boss = client_of(admin)
    lists = [reverse(f"admin:workflow_{name}_changelist") for name in ("definition", "version")]
    single = [
        reverse("admin:workflow_definition_change", args=[each.pk]) for each in (empty, bare)
    ]
    pages_open(boss, [*lists, *single])
    assert [row["key"] for row in api(ann).read("flows/")["results"]] == ["bare"]
    assert api(bao).read("flows/bare/versions/")["count"] == 1
    for path in ("flows/unborn/", "flows/unborn/versions/"):
        assert api(bao).get(path).status_code == 404
    api(ann).refused("instances/", 404, "flow.unknown", {"flow": "unborn"})


def test_n85_one_key_in_two_tenants_and_nothing_leaks(ann, bao, eve, api, later) -> None:
    """Each tenant has its own process, requests and numbers under the same key."""
    fin = a_person(eve.tenant, "fin", name="Fin Other")
    ours = filed(ann, human("lead", "bao"), now=later())
    theirs = filed(eve, human("lead", "fin"), now=later())
    assert Definition.objects.filter(key="expense").count() == 2
    assert ours.number == theirs.number, "each counts for itself"
    assert (in_box(bao), in_box(fin)) == ([ours.pk], [theirs.pk])
    for person, foreign, foreign_holder in ((bao, theirs, fin), (fin, ours, bao)):
        caller = api(person)
        task = task_of(foreign_holder, foreign)
        for path in (
            f"instances/{foreign.pk}/", f"instances/{foreign.pk}/history/", f"tasks/{task.pk}/",
        ):  # fmt: skip
            assert caller.get(path).status_code == 404, path
        body = {"task_version": 1}
        caller.refused(f"tasks/{task.pk}/actions/approve", 404, "not_found", body)
        listed = caller.read("instances/?box=all")["results"]
        assert str(foreign.pk) not in {row["id"] for row in listed}
    unknown = flows.a_document(human("lead", "fin"))
    answer = api(bao).post("flows/validate", {"document": unknown, "form": flows.FORM})
    codes = [each["code"] for each in answer.json()["problems"]]
    assert "people.unknown_id" in codes, "people of another tenant do not exist"


def test_n86_the_engine_finds_people_whom_the_caller_may_not_see(
    ann, demo_tenant, api, later
) -> None:
    """Who files needs no right to read the directory; and reads only what is his."""
    hidden = a_person(demo_tenant, "hid", name="Hidden Person")
    a_role(demo_tenant, "secret_board", members=[hidden])
    board = human("lead", who={"any_of": [{"by": "role", "ids": ["secret_board"]}]})
    other = filed(hidden, board, key="other", now=later())
    mine = filed(ann, board, now=later())
    assert open_now(mine) == {"hid": "lead"}
    assert set(in_box(hidden)) == {mine.pk, other.pk}
    assert [row["id"] for row in api(ann).read("instances/?box=all")["results"]] == [str(mine.pk)]
    assert api(ann).get(f"instances/{other.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("path", "who"),
    [
        ("tasks/?box=todo", "bao"), ("tasks/?box=done", "bao"), ("instances/?box=mine", "ann"),
        ("instances/?box=involved", "bao"), ("instances/?box=all", "ann"),
        ("instances/?box=mine&state=running", "ann"),
    ],
)  # fmt: skip
def test_n87_the_total_is_the_number_of_rows_over_all_pages(
    ann, bao, chi, api, later, path, who
) -> None:
    """Counting and filtering are one question: no page is short, and none is missing."""
    flows.publish(ann, flows.a_document(human("lead", "bao", "chi")), now=later())
    made = [flows.start(ann, now=later()) for _each in range(13)]
    for instance in made[:5]:
        approve(bao, instance, now=later())
    approve(chi, made[5], now=later())
    caller = api({"ann": ann, "bao": bao}[who])
    sign = "&" if "?" in path else "?"
    count, seen, page = None, [], 1
    while count is None or len(seen) < count:
        answer = caller.read(f"{path}{sign}page={page}&page_size=4")
        assert count in (None, answer["count"])
        count = answer["count"]
        assert answer["results"], f"page {page} of {count} rows is empty"
        seen += [row["id"] for row in answer["results"]]
        page += 1
    assert len(seen) == len(set(seen)) == count
    expected = {"tasks/?box=todo": 7, "tasks/?box=done": 5, "instances/?box=mine&state=running": 7}
    assert count == expected.get(path, 13)


def test_n88_only_so_many_open_requests_of_one_person(ann, bao, chi, api, later) -> None:
    """The third is refused until one of the two has ended; others have a count of their own."""
    document = flows.a_document(human("lead", "bao"), limits={"open_per_initiator": 2})
    flows.publish(ann, document, now=later())
    first, _second = (flows.start(ann, now=later()) for _each in range(2))
    body = {"flow": "expense", "form": {"amount": "1"}}
    problem = api(ann).refused("instances/", 409, "start.too_many_open", body)
    assert problem["most"] == 2
    assert api(chi).post("instances/", body).status_code == 201
    approve(bao, first, now=later())
    assert api(ann).post("instances/", body).status_code == 201
    assert Instance.objects.filter(initiator=ann, state="running").count() == 2


@pytest.mark.django_db(transaction=True)
def test_n88_also_when_many_start_at_the_same_moment(ann, now) -> None:
    """Ten at once: as many as allowed get through, not one more."""
    limits = {"open_per_initiator": 3}
    flows.publish(ann, flows.a_document(human("lead", "bao"), limits=limits), now=now)
    gate = threading.Barrier(10)

    def one_start(_which: int) -> str:
        gate.wait(60)
        try:
            flows.start(ann, now=now)
        except Problem as problem:
            return problem.code
        finally:
            connections.close_all()
        return "filed"

    with ThreadPoolExecutor(10) as pool:
        codes = sorted(pool.map(one_start, range(10)))
    assert codes == ["filed"] * 3 + ["start.too_many_open"] * 7
    assert Instance.objects.count() == 3


def test_n89_who_may_start_is_one_rule_everywhere(
    ann, chi, demo_tenant, api, client_of, later
) -> None:
    """List, detail, page and the start itself say the same, for those who may and those not."""
    role = a_role(demo_tenant, "buyers_of", members=[ann])
    start = {"who": {"any_of": [{"by": "role", "ids": ["buyers_of"]}]}}
    flows.publish(ann, flows.a_document(human("lead", "bao"), start=start), now=later())
    body = {"flow": "expense", "form": {"amount": "1"}}

    def says(person) -> list[Any]:
        caller = api(person)
        return [
            [row["key"] for row in caller.read("flows/")["results"]] == ["expense"],
            caller.read("flows/expense/")["may_start"],
            'href="/start/expense/"' in client_of(person).get("/start/").content.decode(),
            client_of(person).get("/start/expense/").status_code == 200,
        ]

    assert says(ann) == [True] * 4
    assert says(chi) == [False] * 4
    api(chi).refused("instances/", 403, "start.not_allowed", body)
    assert api(ann).post("instances/", body).status_code == 201
    RoleMember.objects.filter(role=role).update(user=chi)
    assert says(chi) == [True] * 4
    assert says(ann) == [False] * 4


def test_n90_three_branches_end_once_and_the_step_behind_them_is_asked(
    ann, bao, chi, dan, fay, later
) -> None:
    """The last of three arrivals opens one task behind the join; the request ends one time."""
    ways = [human("a", "bao")], [human("b", "chi")], [human("c", "dan")]
    instance = filed(ann, block("p", *ways), human("top", "fay"), now=later())
    for person in (chi, bao, dan):
        assert in_box(fay) == []
        approve(person, instance, now=later())
    assert open_now(instance) == {"fay": "top"}
    assert Task.objects.filter(instance=instance, step="top").count() == 1
    approve(fay, instance, now=later())
    assert kinds(instance).count("instance_finished") == 1
    assert fresh(instance).state == "approved"


def test_n90_a_choice_runs_one_branch(org) -> None:
    """Although three of the conditions hold, one way is taken."""
    holds = {"field": "n", "op": "ge", "value": 1}
    ways = choice("c", (holds, [one("bao")]), (holds, [one("chi")]), (None, [one("dan")]))
    request = drive(org, ways, one("kim"), form=[a_field("n", "integer")])
    request.start(n=5)
    assert open_steps(request) == ["by_bao"]
    request.approve("bao")
    assert open_steps(request) == ["by_kim"]


def test_n90_what_stands_before_and_behind_is_found_in_loops_too() -> None:
    """Steps before and behind each other are found in finite time although a goto leads back."""
    loop = step("again", "goto", to="by_bao", when={"field": "n", "op": "eq", "value": 1}, max=2)
    inner = blocks.block("p", [one("dan"), one("pia")], [one("tom")])
    raw = builders.document(one("bao"), inner, loop, one("kim"))
    doc = decode(raw).doc
    assert doc is not None
    plan = compile_plan(doc)
    for name in plan.steps:
        seen, at = set(), plan.steps[name].after
        while at != END and at not in seen:
            seen.add(at)
            at = plan.steps[at.id].after
        assert at == END, f"{name} does not lead to the end"
    before = plan.steps["by_kim"].dominators
    assert "by_bao" in before
    assert not {"by_dan", "by_pia", "by_tom", "by_kim"} & set(before), "branches, and itself"


def test_n90_only_the_initiator_withdraws(org) -> None:
    """The permission is asked, and asked the right way round."""
    request = drive(org, one("bao"), policy={"initiator_cancel": "while_running"})
    request.start("ann")
    for other in ("bao", "kim", "tom"):
        request.refused(Withdraw(org.id(other)), NotAllowed, "withdraw.not_yours")
    request.give(Withdraw(org.id("ann"), "moot"))
    assert request.state.status is InstanceState.CANCELLED


def test_n90_a_finished_request_can_be_put_on_file(ann, bao, client_of, later) -> None:
    """Its whole record is taken out on paper and as a table, and it leaves the running lists."""
    instance = filed(ann, human("lead", "bao"), now=later(), values={"reason": "Train"})
    approve(bao, instance, now=later(), comment="have a good trip")
    client = client_of(ann)
    paper = client.get(f"/requests/{instance.pk}/print/").content.decode()
    table = client.get(f"/requests/{instance.pk}/records.csv").getvalue().decode("utf-8-sig")
    for text in (paper, table):
        assert "have a good trip" in text
        assert bao.name in text
    assert "Train" in paper
    assert f"/requests/{instance.pk}/" not in client.get("/mine/").content.decode()
    assert f"/requests/{instance.pk}/" in client.get("/mine/?tab=finished").content.decode()


def test_n79_a_draft_of_an_older_version_tells_the_differences(ann, bao, api, later) -> None:
    """It opens with what was published meanwhile, and nothing of it is taken over by itself."""
    a_role(bao.tenant, members=[bao], grants=("flow.design",))
    flows.publish(ann, flows.a_document(human("lead", "bao")), now=later())
    mine = api(bao).post("design-drafts/", {"flow": "expense"}, key=None).json()
    more = human("lead", "bao"), human("top", "chi")
    flows.publish(ann, flows.a_document(*more), now=later())
    read = api(bao).read(f"design-drafts/{mine['id']}/")
    assert (read["moved"], read["based_on"], read["live"]["version"]) == (True, 1, 2)
    assert read["changes"] == {"removed": 1}
    assert [each["id"] for each in read["document"]["steps"]] == ["lead"]


@pytest.mark.django_db(transaction=True)
def test_n91_a_lost_race_inside_the_database_is_run_again() -> None:
    """What the database gave up is tried again; another error, or too many, reaches the caller."""

    class Lost(Exception):
        sqlstate = "40001"

    def failing(times: int, cause: Exception):
        runs = []

        def work() -> str:
            runs.append(1)
            if len(runs) <= times:
                raise OperationalError("conflict") from cause
            return f"run {len(runs)}"

        return work, runs

    work, runs = failing(2, Lost())
    assert again_on_conflict(work) == "run 3"
    work, runs = failing(TRIES, Lost())
    with pytest.raises(OperationalError):
        again_on_conflict(work)
    assert len(runs) == TRIES
    work, runs = failing(1, ValueError())
    with pytest.raises(OperationalError):
        again_on_conflict(work)
    assert len(runs) == 1, "the disk is full: running it again helps nobody"


@pytest.mark.django_db(transaction=True)
def test_n91_who_does_not_really_conflict_gets_no_conflict(ann, demo_tenant, api, now) -> None:
    """Ten people of a countersign approve at the same moment: ten times 200."""
    people = [a_person(demo_tenant, f"member-{number}") for number in range(10)]
    logins = [person.login for person in people]
    instance = filed(ann, human("team", *logins, mode="all"), now=now)
    calls = [
        (api(person), f"tasks/{task_of(person, instance).pk}/actions/approve") for person in people
    ]
    gate = threading.Barrier(10)

    def post(call) -> int:
        caller, address = call
        gate.wait(60)
        try:
            return int(caller.post(address, {"task_version": 1}).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(post, calls)) == [200] * 10
    assert fresh(instance).state == "approved"
    assert kinds(instance).count("task_approved") == 10


def test_n92_removing_or_renaming_a_step_hides_nothing(
    ann, bao, chi, api, client_of, later
) -> None:
    """After new versions the old requests are in every list as before, under their own names."""
    waiting = filed(ann, human("lead", "bao"), human("last", "chi"), now=later())
    done = flows.start(ann, now=later())
    approve(bao, done, now=later())
    approve(chi, done, now=later())

    def shown() -> list[Any]:
        return [
            api(person).read(path)["results"]
            for person in (ann, bao, chi)
            for path in ("tasks/", "tasks/?box=done", "instances/?box=mine",
                         "instances/?box=involved", "instances/?box=all")
        ]  # fmt: skip

    before = shown()
    renamed = human("lead", "bao", name="Team lead"), human("last", "chi")
    flows.publish(ann, flows.a_document(*renamed), now=later())
    flows.publish(ann, flows.a_document(human("only", "chi")), now=later())
    assert shown() == before
    for instance in (waiting, done):
        page = client_of(ann).get(f"/requests/{instance.pk}/").content.decode()
        assert "Lead" in page
    assert json.loads(Version.objects.get(number=1).document)["steps"][0]["name"] == "Lead"
