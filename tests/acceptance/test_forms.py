"""Acceptance tests 68 to 77: conditions, what may be edited, and what a past step showed."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from tests.acceptance.acting import (
    ALL_ACTS,
    approve,
    filed,
    fresh,
    human,
    in_box,
    task_of,
)
from tests.api.caller import nothing_written
from tests.engine.builders import a_field, choice, drive
from tests.engine.test_blocks import one, open_steps
from tests.workflow import flows
from workflow.actions import publishing
from workflow.engine.events import BranchTaken, TaskApproved
from workflow.engine.evolve import fold
from workflow.models import Version
from workflow.recorded import read


def way(when: dict[str, Any], **members: Any) -> list[dict[str, Any]]:
    """A choice between bao, when the condition holds, and chi."""
    return [choice("way", (when, [one("bao")]), (None, [one("chi")]), **members)]


EMPTY_IS: list[tuple[dict[str, Any], bool]] = [
    ({"field": "n", "op": "gt", "value": 0}, False),
    ({"field": "n", "op": "le", "value": 0}, False),
    ({"field": "n", "op": "eq", "value": 0}, False),
    ({"field": "n", "op": "in", "value": [0, 1]}, False),
    ({"field": "n", "op": "between", "value": [0, 9]}, False),
    ({"field": "n", "op": "ne", "value": 0}, True),
    ({"field": "n", "op": "empty"}, True),
    ({"field": "n", "op": "not_empty"}, False),
    ({"field": "t", "op": "contains", "value": ""}, False),
    ({"field": "t", "op": "eq", "value": "x"}, False),
]


@pytest.mark.parametrize(("when", "holds"), EMPTY_IS)
def test_n68_an_empty_optional_field_has_a_stated_meaning(org, when, holds) -> None:
    """Every question about a field without a value is false, but empty, not equal; it is told."""
    if when["value" if "value" in when else "op"] == "":
        when = when | {"value": "x"}
    form = [a_field("n", "integer"), a_field("t", "text")]
    request = drive(org, *way(when), form=form)
    request.start()
    assert open_steps(request) == (["by_bao"] if holds else ["by_chi"])
    (taken,) = request.of(BranchTaken)
    [leaf] = taken.leaves
    assert (leaf.no_value, leaf.held) == (True, holds)


def test_n71_branches_are_in_the_order_of_the_document_and_an_overlap_is_told(ann) -> None:
    """Where two branches can hold for the same value, publishing warns, with such a value.

    The first that holds is taken; which that is can be read from the document.
    """

    def branch(name: str, **members: Any) -> dict[str, Any]:
        return {"id": name, "name": name.title(), "steps": [human(f"by_{name}", "bao")], **members}

    big = {"field": "amount", "op": "ge", "value": "100"}
    small = {"field": "amount", "op": "le", "value": "500"}
    ways = [branch("big", when=big), branch("small", when=small), branch("rest", otherwise=True)]
    size = {"id": "size", "kind": "choice", "name": "Size", "branches": ways}
    checked = publishing.check(ann.tenant_id, flows.a_document(size), flows.FORM)
    assert checked.ok, "a warning forbids nothing"
    assert checked.doc is not None
    [overlap] = [each for each in checked.findings if each.code == "branch.overlap"]
    assert (overlap.level, overlap.at) == ("warning", "/document/steps/0/branches/1/when")
    value = float(str(overlap.args["sample"]))
    assert 100 <= value <= 500
    apart = json.loads(json.dumps(size))
    apart["branches"][1]["when"] = {"field": "amount", "op": "lt", "value": "100"}
    again = publishing.check(ann.tenant_id, flows.a_document(apart), flows.FORM)
    assert not [each for each in again.findings if each.code == "branch.overlap"]


@pytest.mark.parametrize("value", ["100", "300", "500"])
def test_n71_of_two_that_hold_the_first_is_taken(org, value) -> None:
    """The order of the branches decides, always."""
    big, small = ({"field": "sum", "op": op, "value": bound}
                  for op, bound in (("ge", "100"), ("le", "500")))  # fmt: skip
    for first, second, taken in ((big, small, "by_bao"), (small, big, "by_bao")):
        step = choice("way", (first, [one("bao")]), (second, [one("dan")]), (None, [one("chi")]))
        request = drive(org, step, form=[a_field("sum", "amount")])
        request.start(sum=value)
        assert open_steps(request) == [taken]


SWITCHED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("transfer", {"transfer": False}, {"to": "dan"}),
    ("delegate", {"delegate": False}, {"to": "dan"}),
    ("copy", {"send_copy": False}, {"people": ["dan"]}),
    ("return", {"return_to": "none"}, {"to": "start"}),
    ("add-signer", {"add_before": False}, {"people": ["dan"], "place": "before"}),
    ("add-signer", {"add_after": False}, {"people": ["dan"], "place": "after"}),
    ("add-signer", {"add_with": False}, {"people": ["dan"], "place": "with"}),
]


@pytest.mark.parametrize(("verb", "switch", "body"), SWITCHED)
def test_n72_what_is_switched_off_on_a_step_is_refused_by_the_api_too(
    ann, bao, dan, api, later, verb, switch, body
) -> None:
    """A button that the page does not show is no way in: 403, and nothing is written."""
    on = filed(ann, human("lead", "bao", acts=ALL_ACTS), key="on", now=later())
    off = filed(ann, human("lead", "bao", acts=ALL_ACTS | switch), key="off", now=later())
    sent = {"task_version": 1, **body}
    address = f"tasks/{task_of(bao, off).pk}/actions/{verb}"
    api(bao).refused(address, 403, "act.switched_off", sent)
    answer = api(bao).post(f"tasks/{task_of(bao, on).pk}/actions/{verb}", sent)
    assert answer.status_code == 200, answer.content


def test_n73_what_may_be_edited_is_edited_and_the_rest_refused(ann, bao, chi, api, later) -> None:
    """An editable field is stored with the decision; one to read, or hidden, is refused whole."""
    rights = {"default": "read", "set": {"reason": "edit", "secret": "hide"}}
    instance = filed(ann, human("lead", "chi", fields=rights), now=later(), values={"secret": "s"})
    task = task_of(chi, instance)
    address = f"tasks/{task.pk}/actions/approve"
    for form, code in (
        ({"reason": "Bus", "amount": "1"}, "form.not_editable"),
        ({"reason": "Bus", "secret": "x"}, "form.unknown_field"),
        ({"reason": "Bus", "ghost": "x"}, "form.unknown_field"),
    ):
        problem = api(chi).refused(address, 422, "form.invalid", {"task_version": 1, "form": form})
        assert [each["code"] for each in problem["errors"]] == [code]
    assert "secret" not in json.dumps(api(chi).read(f"tasks/{task.pk}/")["values"])
    answer = api(chi).post(address, {"task_version": 1, "form": {"reason": "Bus"}})
    assert answer.status_code == 200
    values = fresh(instance).snapshot["values"]
    assert (values["reason"], values["secret"], values["amount"]) == ("Bus", "s", "12000.00")


def test_n74_a_process_without_a_form_is_filed(ann, bao, api, client_of, later) -> None:
    """It has no fields, starts through REST and through its page, and is decided."""
    document = flows.a_document(human("lead", "bao"), key="plain")
    del document["form"]
    flows.publish(ann, document, None, now=later())
    assert api(ann).read("flows/plain/")["form"] == {"fields": []}
    filed_now = api(ann).post("instances/", {"flow": "plain"})
    assert filed_now.status_code == 201, filed_now.content
    assert client_of(ann).get("/start/plain/").status_code == 200
    assert in_box(bao) == [int(filed_now.json()["id"])]
    [row] = api(bao).read("tasks/")["results"]
    done = api(bao).post(f"tasks/{row['id']}/actions/approve", {"task_version": 1})
    assert done.json()["instance"]["state"] == "approved"
    api(ann).refused("instances/", 422, "form.invalid", {"flow": "plain", "form": {"x": 1}})


ODD_TEXTS = ["a|b", "it's", 'say "no"', "a||b", "\\", "%", "{x}", "'; --", "eq|flag|5", "None"]


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_n75_signs_in_a_compared_text_are_only_signs(org, text) -> None:
    """A bar or a quote neither splits nor ends what is compared, whoever wrote it."""
    when = {"field": "t", "op": "eq", "value": text}
    same = drive(org, *way(when), form=[a_field("t")])
    same.start(t=text)
    assert open_steps(same) == ["by_bao"]
    other = drive(org, *way(when), form=[a_field("t")])
    other.start(t=text + "x")
    assert open_steps(other) == ["by_chi"]


@pytest.mark.parametrize(
    ("kind", "big", "bigger"),
    [
        ("number", "9007199254740992", "9007199254740993"),
        ("amount", "999999999999999.98", "999999999999999.99"),
    ],
)
def test_n75_numbers_beyond_what_floats_hold_are_told_apart(org, kind, big, bigger) -> None:
    """2^53 and 2^53 + 1 are two numbers; so are two amounts that differ in the last digit."""
    when = {"field": "n", "op": "eq", "value": bigger}
    for value, at in ((big, ["by_chi"]), (bigger, ["by_bao"])):
        request = drive(org, *way(when), form=[a_field("n", kind)])
        request.start(n=value)
        assert open_steps(request) == at
    more = {"field": "n", "op": "gt", "value": big}
    request = drive(org, *way(more), form=[a_field("n", kind)])
    request.start(n=bigger)
    assert open_steps(request) == ["by_bao"]


def test_n76_the_form_of_a_past_step_is_known_as_it_was_submitted(
    ann, bao, chi, api, later
) -> None:
    """Values of that moment from the history, in the version that the request runs on."""
    edit = {"default": "edit"}
    steps = human("lead", "bao", fields=edit), human("next", "chi", fields=edit)
    instance = filed(ann, *steps, now=later(), values={"reason": "Train"})
    approve(bao, instance, now=later(), changes={"reason": "Bus"})
    other = json.loads(json.dumps(flows.FORM))
    other["fields"][1]["label"] = "Purpose"
    flows.publish(ann, flows.a_document(*steps), other, now=later())
    approve(chi, instance, now=later(), changes={"reason": "On foot"})
    fields = api(bao).read(f"instances/{instance.pk}/")["form"]["fields"]
    assert [each["label"] for each in fields][1] == "Reason", "the form of its own version"
    records = list(read(instance.pk))
    seen = {}
    for place, record in enumerate(records, start=1):
        if isinstance(record.event, TaskApproved):
            state = fold([each.event for each in records[:place]])
            seen[record.event.seat] = state.values["reason"]
    assert list(seen.values()) == ["Bus", "On foot"]
    assert fresh(instance).version.number == 1


def test_n76_a_page_shows_the_form_as_it_was(ann, bao, chi, eve, client_of, later) -> None:
    """From each entry that carried the form a link leads to what stood in it then."""
    edit = {"default": "edit"}
    steps = human("lead", "bao", fields=edit), human("next", "chi", fields=edit)
    instance = filed(ann, *steps, now=later(), values={"reason": "Train"})
    approve(bao, instance, now=later(), changes={"reason": "Bus"})
    approve(chi, instance, now=later(), changes={"reason": "On foot"})
    client = client_of(ann)
    page = client.get(f"/requests/{instance.pk}/").content.decode()
    hrefs = re.findall(rf'href="(/requests/{instance.pk}/then/[^"]+)"', page)
    links = list(dict.fromkeys(html.unescape(each) for each in hrefs))
    shown = [client.get(each).content.decode() for each in links]
    words = ["Train", "Bus", "On foot"]
    assert [[word for word in words if word in each] for each in shown] == [
        [each] for each in words
    ]
    assert client.get(f"/requests/{instance.pk}/then/?at=never").status_code == 400
    assert client.get(f"/requests/{instance.pk}/then/?at=2001-01-01T00:00Z").status_code == 404
    assert client_of(eve).get(links[0]).status_code == 404


def test_n77_a_check_writes_nothing(ann, bao, api, later) -> None:
    """Validating a process and reading why a request went its way change no row."""
    instance = filed(ann, human("lead", "bao"), now=later())
    versions = Version.objects.count()
    with nothing_written():
        document = flows.a_document(human("lead", "bao"), human("more", "bao"))
        answer = api(bao).post("flows/validate", {"document": document, "form": flows.FORM})
        if answer.status_code == 400:
            answer = api(bao).post("flows/validate", document)
        assert answer.status_code == 200, answer.content
        api(ann).read(f"instances/{instance.pk}/explain/")
    assert Version.objects.count() == versions
