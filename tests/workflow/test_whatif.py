"""`flow_whatif`: stored requests through a new version; nothing is written, nothing is sent."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from tests.outbound.receivers import network_calls
from tests.workflow import flows, stories
from workflow.actions import design_drafts
from workflow.engine.commands import Complete, Return
from workflow.models import Event, Instance


@pytest.fixture
def filed(ann, bao, dan, later):
    """Three requests: one large and approved, one small and rejected, one that waits."""
    flows.publish(ann, flows.big_and_small(), now=later())
    large = flows.start(ann, now=later())
    flows.approve(bao, now=later())
    flows.approve(dan, now=later())
    small = flows.start(ann, now=later(), amount="12")
    flows.reject(bao, now=later(), comment="no")
    waiting = flows.start(ann, now=later(), amount="50")
    return large, small, waiting


@pytest.fixture
def written(tmp_path):
    """`written(document, form)` is a file that holds both."""

    def write(document, form=flows.FORM):
        file = tmp_path / "candidate.json"
        file.write_text(json.dumps({"document": document, "form": form}))
        return str(file)

    return write


def every_row():
    """All rows of all tables of the installation, as they are."""
    return {
        model._meta.db_table: list(model._default_manager.order_by("pk").values())
        for model in apps.get_models()
    }


def whatif(file, *arguments, key="expense", tenant="demo"):
    """Exit code and answer; no row comes, goes or changes, and no socket is opened."""
    out = StringIO()
    before = every_row()
    code = 0
    with network_calls() as calls:
        try:
            call_command(
                "flow_whatif",
                key,
                *("--document", file, "--tenant", tenant, *arguments),
                stdout=out,
                stderr=StringIO(),
            )
        except CommandError as error:
            code = error.returncode
    assert calls == []
    assert every_row() == before
    return code, out.getvalue()


def reported(file, *arguments, **more):
    code, out = whatif(file, "--json", *arguments, **more)
    return code, json.loads(out)


def limit(amount):
    """The same process with another limit above which finance is asked."""
    document = flows.big_and_small()
    document["steps"][1]["branches"][0]["when"]["value"] = amount
    return document


def test_the_same_document_changes_nothing(filed, written):
    code, report = reported(written(flows.big_and_small()))
    assert code == 0
    assert report["looked_at"] == 3
    assert report["counts"] == {
        "same": 3,
        "other_path": 0,
        "other_people": 0,
        "cannot_decide": 0,
    }
    assert report["examples"] == []
    assert report["branches"] == [{"step": "size", "branch": "big", "past": 1, "candidate": 1}]


def test_another_path_with_counts_by_branch_and_an_example(filed, written):
    large, _small, _waiting = filed
    code, report = reported(written(limit("20000")))
    assert code == 0
    assert (report["counts"]["other_path"], report["counts"]["same"]) == (1, 2)
    assert report["branches"] == [
        {"step": "size", "branch": "big", "past": 1, "candidate": 0},
        {"step": "size", "branch": "small", "past": 0, "candidate": 1},
    ]
    (example,) = report["examples"]
    assert example["id"] == str(large.pk)
    assert example["url"] == f"/requests/{large.pk}/"
    assert (example["number"], example["title"]) == (large.number, large.title)
    assert (example["comparison"], example["step"]) == ("other_path", "finance")


def test_other_people(filed, written, dan):
    document = flows.big_and_small()
    document["steps"][0] = flows.approve_step("lead", "dan")
    code, report = reported(written(document))
    assert code == 0
    assert report["counts"]["other_people"] == 3
    assert {each["step_name"] for each in report["examples"]} == {"Lead"}


def test_what_cannot_be_decided_says_why(filed, written):
    form = json.loads(json.dumps(flows.FORM))
    form["fields"].append(
        {"id": "centre", "type": "text", "label": "Cost centre", "required": True}
    )
    code, report = reported(written(flows.big_and_small(), form))
    assert code == 1
    assert report["counts"]["cannot_decide"] == 3
    assert report["by_code"] == {"form.invalid": 3}
    assert {each["about"] for each in report["examples"]} == {"centre"}


def test_returns_and_parallel_branches(ann, bao, dan, chi, later, written):
    """A request that went back to ann and then through two branches in turns."""
    both = {
        "id": "both",
        "kind": "parallel",
        "name": "Both",
        "join": "all",
        "branches": [
            {"id": f"way_{who}", "name": who, "steps": [flows.approve_step(f"of_{who}", who)]}
            for who in ("dan", "chi")
        ],
    }
    lead = flows.approve_step("lead", "bao", acts={"return_to": "any"})
    document = flows.a_document(lead, both)
    flows.publish(ann, document, now=later())
    instance = flows.start(ann, now=later())
    stories.act(bao, Return, now=later(), to="start", comment="More words, please.")
    stories.act(ann, Complete, now=later())
    flows.approve(bao, now=later())
    flows.approve(chi, now=later())
    flows.approve(dan, now=later())
    instance.refresh_from_db()
    assert instance.state == "approved"
    code, report = reported(written(document))
    assert (code, report["counts"]["same"]) == (0, 1)
    one_by_one = flows.a_document(
        lead, flows.approve_step("of_dan", "dan"), flows.approve_step("of_chi", "chi")
    )
    code, report = reported(written(one_by_one))
    assert report["counts"]["other_path"] == 1
    assert report["examples"][0]["step"] == "of_dan"


def test_only_the_last_ones_of_this_tenant(filed, written):
    _code, report = reported(written(flows.big_and_small()), "--last", "2")
    assert report["looked_at"] == 2
    code, _report = whatif(written(flows.big_and_small()), tenant="other")
    assert code == 1


def test_a_history_that_cannot_be_read_is_one_answer_among_others(filed, written):
    Event.objects.filter(instance=filed[0], position=1).delete()
    code, report = reported(written(flows.big_and_small()))
    assert code == 1
    assert report["by_code"] == {"unreadable": 1}
    assert report["counts"]["same"] == 2


def test_in_words(filed, written):
    code, text = whatif(written(limit("20000")))
    assert code == 0
    assert "3 requests" in text
    assert "other path: 1" in text
    assert "size / small: 0 → 1" in text
    assert f"/requests/{filed[0].pk}/" in text


@pytest.mark.parametrize(
    ("arguments", "more", "expected"),
    [
        (("--last", "0"), {}, 2),
        (("--last", "99999"), {}, 2),
        ((), {"key": "ghost"}, 1),
        ((), {"tenant": "nobody"}, 2),
    ],
)
def test_wrong_use(filed, written, arguments, more, expected):
    assert whatif(written(flows.big_and_small()), *arguments, **more)[0] == expected


def test_a_document_with_problems_or_of_another_process(filed, written, tmp_path):
    assert whatif(written(flows.a_document(flows.approve_step("lead", "ghost"))))[0] == 1
    assert whatif(written(flows.a_document(key="leave")))[0] == 2
    assert whatif(str(tmp_path / "nowhere.json"))[0] == 2
    assert Instance.objects.count() == 3


def test_of_a_design_draft(filed, bao, later):
    """The document of a draft, whoever's it is; what is no draft of the tenant is not there."""
    draft = design_drafts.create(
        user=bao, design=design_drafts.Design(flows.big_and_small(), flows.FORM), now=later()
    )
    out = StringIO()
    of_draft = ("flow_whatif", "expense", "--draft", str(draft.pk), "--json", "--tenant")
    call_command(*of_draft, "demo", stdout=out)
    assert json.loads(out.getvalue())["counts"]["same"] == len(filed)
    with pytest.raises(CommandError, match="no design draft"):
        call_command(*of_draft, "other")
    with pytest.raises(CommandError):
        call_command("flow_whatif", "expense", "--draft", "1", "--document", "x")
