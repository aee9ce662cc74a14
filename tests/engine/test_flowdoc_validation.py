"""What a process document may not say, each case with every finding it gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.engine.flows import (
    BY_ROLE,
    FORM,
    a_step,
    approve,
    both,
    branch,
    choice,
    flow,
    json_values,
    trees,
)
from workflow.engine.parsing import decode
from workflow.engine.validation import Reference, check_document, people_references, validate
from workflow.forms.findings import errors

USER = {"by": "user", "ids": ["bao"]}


def found(raw: dict[str, Any]) -> list[tuple[str, str]]:
    """Code and position of everything found in a document of good shape."""
    decoded = decode(raw)
    assert decoded.findings == ()
    assert decoded.doc is not None
    return [(each.code, each.at) for each in validate(decoded.doc, FORM)]


def who(*sources: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"any_of": list(sources), **members}


def vote(**need: int) -> dict[str, Any]:
    return {"mode": "vote", "need": need}


def when(field: str, op: str = "eq", value: object = "1") -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def asking(**condition: Any) -> dict[str, Any]:
    """A choice on one condition."""
    branches = [branch("yes", approve(), when=condition), branch("no", otherwise=True)]
    return a_step("c", "choice", branches=branches)


def nested(depth: int) -> dict[str, Any]:
    step = approve()
    for level in range(depth):
        step = choice(f"c{level}", long=[step])
    return step


def goto(to: str, **members: Any) -> dict[str, Any]:
    return a_step("again", "goto", to=to, **members)


SOMETIMES = {"when": {"field": "days", "op": "gt", "value": 9}}
WHEN = "/steps/0/branches/0/when"


@pytest.mark.parametrize(
    "raw",
    [
        flow(approve()),
        flow(approve(), title="{initiator.name} {form.days} {number} {today} {flow.name}"),
        flow(approve(), choice(long=[approve("b")]), summary=["days", "sort"]),
        flow(approve(), goto("lead", **SOMETIMES)),
        flow(approve(reject={"then": {"do": "back", "to": {"step": "start"}}})),
        flow(nested(8)),
        flow(approve(), approve("b", who=who({"by": "deciders_of", "step": "lead"}))),
        flow(approve(), choice(long=[approve("b", acts={"return_to": ["lead", "size"]})])),
        flow(approve(fields={"set": {"rows.cost": "edit", "boss": "hide"}, "rows": {"rows": []}})),
        flow(approve(deadline={"after": "PT1H", "remind": [{"after": "PT2H"}]})),
        flow(approve(deadline={"after": {"field": "when"}})),
        flow(approve(decide=vote(num=2, den=3))),
        flow(approve(who=who(USER, {"by": "initiator"}), decide={"mode": "in_order"})),
        flow(both("p", [approve()], [approve("b", reject={"then": {"do": "finish_branch"}})])),
    ],
)  # fmt: skip
def test_a_good_document_has_no_findings(raw: dict[str, Any]) -> None:
    assert found(raw) == []


@pytest.mark.parametrize(
    ("raw", "findings"),
    [
        # ids and blocks
        (flow(approve("start")), [("id.reserved", "/steps/0/id")]),
        (flow(approve(), approve()), [("id.duplicate", "/steps/1/id")]),
        (flow(approve("size_short"), choice(long=[approve("b")])),
         [("id.duplicate", "/steps/1/branches/1/id")]),
        (flow(nested(9)), [("doc.depth", "/steps/0" + "/branches/0/steps/0" * 8)]),
        (flow(a_step("c", "choice", branches=[branch("a", approve(), when=when("days", value=1)),
                                              branch("b", when=when("days", value=2))])),
         [("branch.no_otherwise", "/steps/0/branches")]),
        (flow(a_step("c", "choice", branches=[branch("a", approve(), otherwise=True),
                                              branch("b", when=when("days", value=2))])),
         [("branch.otherwise_not_last", "/steps/0/branches/0")]),
        (flow(a_step("c", "choice", branches=[branch("a", approve()),
                                              branch("b", otherwise=True)])),
         [("branch.when_missing", "/steps/0/branches/0")]),
        (flow(a_step("c", "choice", branches=[branch("a", approve(), when=when("days", value=1)),
                                              branch("b", when=when("days"), otherwise=True)])),
         [("branch.when_in_otherwise", "/steps/0/branches/1/when")]),
        (flow(a_step("c", "inclusive", join="all", branches=[
            branch("a", approve(), otherwise=True), branch("b", otherwise=True)])),
         [("branch.many_otherwise", "/steps/0/branches/1/otherwise")]),
        (flow(a_step("p", "parallel", join="all", branches=[
            branch("a", approve(), when=when("days")), branch("b", otherwise=True)])),
         [("branch.when_in_parallel", "/steps/0/branches/0/when"),
          ("branch.when_in_parallel", "/steps/0/branches/1/otherwise")]),
        (flow(approve(), choice()), [("branch.empty_all", "/steps/1/branches")]),
        (flow(both("p", [approve()], [], join={"at_least": 3})),
         [("join.at_least_too_big", "/steps/0/join/at_least")]),
        (flow(), [("flow.no_human_step", "/steps")]),
        # ways
        (flow(a_step("f", "finish", result="approved"), approve()),
         [("flow.after_finish", "/steps/1")]),
        (flow(choice(long=[a_step("f", "finish", result="rejected")],
                     short=[a_step("n", "auto", verdict="reject")]), approve()),
         [("flow.unreachable", "/steps/1")]),
        (flow(both("p", [a_step("f", "finish", result="rejected")], []), approve()),
         [("flow.unreachable", "/steps/1")]),
        (flow(both("p", [a_step("n", "auto", verdict="reject")], [], branch_reject="branch_only"),
              approve()), []),
        (flow(approve(), goto("lead", max=2)), [("flow.no_end", "/steps")]),
        (flow(approve(), a_step("t", "copy", who=BY_ROLE), goto("t", **SOMETIMES)),
         [("goto.no_limit", "/steps/2/to")]),
        (flow(choice(long=[approve()]), goto("size", **SOMETIMES)),
         [("goto.no_limit", "/steps/1/to")]),
        (flow(both("p", [approve()], []), goto("p", **SOMETIMES)), []),
        (flow(choice(long=[approve()]), goto("lead", **SOMETIMES)),
         [("goto.into_branch", "/steps/1/to")]),
        (flow(goto("lead", **SOMETIMES), approve()), [("goto.not_dominator", "/steps/0/to")]),
        (flow(approve(), goto("nobody", **SOMETIMES)), [("goto.not_dominator", "/steps/1/to")]),
        (flow(approve(reject={"then": {"do": "back", "to": {"step": "no"}}})),
         [("reject.target_missing", "/steps/0/reject/then/to/step")]),
        (flow(approve(reject={"then": {"do": "back", "to": {"step": "b"}}}), approve("b")),
         [("reject.target_not_dominator", "/steps/0/reject/then/to/step")]),
        (flow(approve(reject={"then": {"do": "back", "to": "ask"}})),
         [("reject.ask_without_targets", "/steps/0/reject/then/to")]),
        (flow(choice(long=[approve(reject={"then": {"do": "finish_branch"}})])),
         [("reject.no_branch", "/steps/0/branches/0/steps/0/reject/then")]),
        (flow(approve(acts={"return_to": ["start", "x"]})),
         [("reject.target_missing", "/steps/0/acts/return_to/1")]),
        (flow(approve(deadline={"after": "PT1H", "then": {"goto": "lead"}})),
         [("deadline.target_not_dominator", "/steps/0/deadline/then/goto")]),
        # people
        (flow(approve(who=who(USER))), [("people.single", "/steps/0/who")]),
        (flow(approve(who=who(USER), on_empty={"do": "approve"})), []),
        (flow(approve(on_empty={"do": "managers"})),
         [("people.no_managers", "/steps/0/on_empty")]),
        (flow(approve(), choice(long=[approve("b")]),
              approve("d", who=who({"by": "deciders_of", "step": "b"}))),
         [("people.not_dominating_step", "/steps/2/who/any_of/0/step")]),
        (flow(approve(who=who({"by": "head", "of": {"decider_of": "lead"}}))),
         [("people.not_dominating_step", "/steps/0/who/any_of/0/of/decider_of")]),
        (flow(a_step("t", "copy", who=BY_ROLE),
              approve(who=who({"by": "picked_by", "step": "t"}))),
         [("people.not_dominating_step", "/steps/1/who/any_of/0/step")]),
        (flow(approve(who=who({"by": "picked_at_start", "min": 3, "max": 2}))),
         [("people.pick_range", "/steps/0/who/any_of/0/min")]),
        (flow(approve(), start={"who": who({"by": "initiator"})}),
         [("people.source_not_here", "/start/who/any_of/0")]),
        (flow(approve(),
              start={"who": who({"by": "role", "ids": ["a"], "within": "same_branch"})}),
         [("people.source_not_here", "/start/who/any_of/0")]),
        (flow(approve(), managers=who({"by": "deciders_of", "step": "lead"})),
         [("people.source_not_here", "/managers/any_of/0")]),
        (flow(approve(who=who({"by": "initiator"}), on_self="forbid")),
         [("self.forbid_leaves_nobody", "/steps/0/who")]),
        # deciding
        (flow(approve(decide=vote(num=0, den=2))),
         [("decide.ratio_range", "/steps/0/decide/need")]),
        (flow(approve(decide=vote(num=3, den=2))),
         [("decide.ratio_range", "/steps/0/decide/need")]),
        (flow(approve(decide=vote(count=0))), [("decide.ratio_range", "/steps/0/decide/need")]),
        (flow(approve(decide={**vote(count=1), "weights": {"bao": 1}})), []),
        (flow(approve(who=who({"by": "user", "ids": ["bao", "dan"]}),
                      decide={**vote(count=4), "weights": {"eve": 1, "bao": 2}})),
         [("decide.weights_cannot_pass", "/steps/0/decide/need"),
          ("decide.weights_unknown_user", "/steps/0/decide/weights/eve")]),
        (flow(approve(decide={"mode": "in_order"})),
         [("decide.order_unstable", "/steps/0/decide")]),
        (flow(approve(deadline={"after": 60, "then": "reject", "remind": [{"after": "PT2H"}]})),
         [("deadline.remind_after_end", "/steps/0/deadline/remind/0/after")]),
        (flow(approve(deadline={"after": "PT1H", "remind": [{"before": "PT2H"}]})),
         [("deadline.bad_value", "/steps/0/deadline/remind/0/before")]),
        (flow(approve(on_event=[{"on": "assigned", "post": {"url": "http://x.org"}}])),
         [("event.post_not_here", "/steps/0/on_event/0/post"),
          ("http.scheme", "/steps/0/on_event/0/post/url")]),
        # fields
        (flow(approve(), title="{form.x} {form.paper} {today"),
         [("form.unknown_field", "/title"), ("form.type_mismatch", "/title"),
          ("title.unknown_placeholder", "/title")]),
        (flow(approve(), title="{now}"), [("title.unknown_placeholder", "/title")]),
        (flow(approve(fields={"set": {"days": "hide"}}), title="{form.days}"),
         [("title.hidden_field", "/title")]),
        (flow(approve(), summary=["days", "paper", "x"]),
         [("summary.unknown_field", "/summary/1"), ("summary.unknown_field", "/summary/2")]),
        (flow(approve(fields={"set": {"x": "edit", "rows.x": "edit"}, "rows": {"days": []}})),
         [("form.unknown_field", "/steps/0/fields/set/x"),
          ("form.right_on_missing_column", "/steps/0/fields/set/rows.x"),
          ("form.type_mismatch", "/steps/0/fields/rows/days")]),
        (flow(asking(**when("x"))), [("form.unknown_field", f"{WHEN}/field")]),
        (flow(asking(**when("days", "starts"))), [("cond.bad_op", f"{WHEN}/op")]),
        (flow(asking(**when("days", value="x"))), [("cond.bad_value", f"{WHEN}/value")]),
        (flow(asking(step="lead", outcome="approved")), [("cond.unknown_step", f"{WHEN}/step")]),
        (flow(approve("a"), asking(step="a", outcome="approved")), []),
        (flow(asking(**when("reason"))), [("form.condition_on_optional", f"{WHEN}/field")]),
        (flow(asking(any=[when("reason"), {"field": "reason", "op": "empty"}])), []),
        (flow(asking(**when("reason")), start={"fields": {"set": {"reason": "must"}}}), []),
        (flow(approve("a", fields={"default": "edit"}), asking(**when("reason"))), []),
        (flow(approve(who=who({"by": "form_users", "field": "boss"}))),
         [("form.condition_on_optional", "/steps/0/who/any_of/0/field")]),
        (flow(approve(who=who({"by": "form_users", "field": "unit"})),
              start={"fields": {"set": {"unit": "must"}}}),
         [("form.type_mismatch", "/steps/0/who/any_of/0/field")]),
        (flow(approve(deadline={"after": {"field": "days"}})), []),
        (flow(a_step("w", "work", who=BY_ROLE, deadline={"after": 5, "then": "reject"})),
         [("deadline.work_rejects", "/steps/0/deadline/then")]),
        (flow(approve(deadline={"after": {"field": "reason"}})),
         [("form.type_mismatch", "/steps/0/deadline/after/field")]),
        (flow(approve(), start={"fields": {"set": {"days": "hide"}}}),
         [("form.required_but_hidden", "/start/fields")]),
        (flow(approve(fields={"set": {"days": "must"}}),
              start={"fields": {"set": {"days": "hide"}}}), []),
        # automatic steps
        (flow(approve(), a_step("h", "http", method="GET", url="http://example.org")),
         [("http.scheme", "/steps/1/url")]),
        (flow(approve(), a_step("h", "http", method="GET", url="https://me:pw@localhost:80/",
                                timeout="PT2M", headers={"Cookie": "x"},
                                body="{form.x} {'a': 1}")),
         [("http.inline_secret", "/steps/1/url"), ("http.private_host", "/steps/1/url"),
          ("http.timeout_range", "/steps/1/timeout"),
          ("http.inline_secret", "/steps/1/headers/Cookie"),
          ("http.body_template", "/steps/1/body")]),
        (flow(approve(), a_step("h", "http", method="GET", url="https://[fe80::1]/")),
         [("http.private_host", "/steps/1/url")]),
        (flow(approve(), a_step("h", "http", method="GET", url="https://10.0.0.1:8080/x")),
         [("http.private_host", "/steps/1/url")]),
        (flow(approve(), a_step("h", "http", method="GET", url="https://x.org", save=[
            {"pointer": "/a", "to": {"field": "days"}, "type": "text"}])),
         [("form.type_mismatch", "/steps/1/save/0/to/field")]),
        (flow(approve(), a_step("s", "subflow", flow="leave", version=1, output={"x": "y"})),
         [("subflow.recursive", "/steps/1/flow"), ("form.unknown_field", "/steps/1/output/x")]),
        (flow(approve(), a_step("s", "set", changes=[
            {"field": "days", "to": "x"}, {"field": "x", "to": 1}, {"field": "days", "to": 3},
            {"field": "days", "to": {"now": True}}, {"field": "days", "to": {"copy": "when"}},
            {"field": "when", "to": {"now": True}}, {"field": "days", "to": None}])),
         [("form.type_mismatch", "/steps/1/changes/0/to"),
          ("form.unknown_field", "/steps/1/changes/1/field"),
          ("form.type_mismatch", "/steps/1/changes/3/to/now"),
          ("form.type_mismatch", "/steps/1/changes/4/to/copy")]),
    ],
)  # fmt: skip
def test_each_problem_is_found_where_it_stands(
    raw: dict[str, Any], findings: list[tuple[str, str]]
) -> None:
    # Where two stand at one place or in one part, their order says nothing.
    assert sorted(found(raw)) == sorted(findings)


def test_without_a_form_every_field_is_unknown() -> None:
    doc = decode(flow(asking(**when("days", value=1)), summary=["days"])).doc
    assert doc is not None
    assert [(each.code, each.at) for each in validate(doc, None)] == [
        ("form.unknown_field", f"{WHEN}/field"),
        ("summary.unknown_field", "/summary/0"),
    ]


def test_problems_of_shape_and_of_sense_come_in_one_answer() -> None:
    raw = flow(
        approve("lead", name=7),
        a_step("zip", "zip"),
        approve("lead", who=who({"by": "deciders_of", "step": "zip"})),
        approve("x", who={"any_of": []}, decide=vote(num=3, den=2)),
        summary=["nothing"],
    )
    checked = check_document(raw, FORM)
    assert checked.doc is None
    assert not checked.ok
    # Whether "zip" is a good earlier step cannot be said: what it is could not be read.
    assert [(each.code, each.at) for each in checked.findings] == [
        ("doc.bad_type", "/steps/0/name"),
        ("step.unknown_kind", "/steps/1/kind"),
        ("id.duplicate", "/steps/2/id"),
        ("people.none", "/steps/3/who/any_of"),
        ("decide.ratio_range", "/steps/3/decide/need"),
        ("summary.unknown_field", "/summary/0"),
    ]


def test_findings_follow_the_order_of_the_document_as_it_was_sent() -> None:
    raw = {"summary": ["x"], "title": "{x}", **flow(approve("start"))}
    places = [each.at for each in check_document(raw, FORM).findings]
    assert places == ["/summary/0", "/title", "/steps/0/id"]


def test_the_document_names_its_people_by_code() -> None:
    raw = flow(
        approve(
            who=who({"by": "head", "of": {"department": "sales"}}, without=[USER]),
            on_empty={"do": "people", "who": who({"by": "group", "ids": ["g1", "g2"]})},
        ),
        asking(initiator="in_role", ids=["clerk"]),
        start={"who": who({"by": "department", "ids": ["all"]})},
        managers=who({"by": "post", "ids": ["chief"]}),
    )
    raw["steps"][1]["branches"][0]["steps"] = []
    doc = decode(raw).doc
    assert doc is not None
    first = "/steps/0"
    assert set(people_references(doc)) == {
        Reference("department", "all", "/start/who/any_of/0/ids/0", None),
        Reference("post", "chief", "/managers/any_of/0/ids/0", None),
        Reference("department", "sales", f"{first}/who/any_of/0/of/department", "lead"),
        Reference("user", "bao", f"{first}/who/without/0/ids/0", "lead"),
        Reference("group", "g1", f"{first}/on_empty/who/any_of/0/ids/0", "lead"),
        Reference("group", "g2", f"{first}/on_empty/who/any_of/0/ids/1", "lead"),
        Reference("role", "clerk", "/steps/1/branches/0/when/ids/0", "c"),
    }


@given(trees())
@settings(max_examples=60, deadline=None)
def test_any_tree_of_good_steps_is_good(raw: dict[str, Any]) -> None:
    doc = decode(raw).doc
    assert doc is not None
    assert errors(validate(doc, FORM)) == ()


@given(json_values, json_values)
@settings(max_examples=150, deadline=None)
def test_no_json_value_makes_checking_raise(one: object, two: object) -> None:
    raw = flow(
        approve("x", who=one, deadline=two, reject=one, acts=two),
        a_step("y", "http", method="GET", url="https://x.org", save=one, headers=two),
        a_step("z", "set", changes=[{"field": one, "to": two}]),
        choice("c", long=[approve("i", decide={"mode": "vote", "need": one, "weights": two})]),
        title=one,
        start=two,
    )
    check_document(raw, FORM)
    check_document(one, None)
