"""What this version refuses to publish because it would silently not happen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.flows import BY_ROLE, a_step, approve, both, branch, choice, flow
from workflow.engine.parsing import decode
from workflow.engine.runnable import not_run_yet


def found(raw: dict[str, Any]) -> list[tuple[str, str, str]]:
    decoded = decode(raw)
    assert decoded.doc is not None, decoded.findings
    return [(each.level, each.code, each.at) for each in not_run_yet(decoded.doc)]


def by(**source: Any) -> dict[str, Any]:
    return {"any_of": [source]}


def error(code: str, at: str) -> list[tuple[str, str, str]]:
    return [("error", f"not_run_yet.{code}", at)]


def warned(at: str) -> list[tuple[str, str, str]]:
    return [("warning", "not_run_yet.act", at)]


WHEN = "/steps/0/branches/0/when"


@pytest.mark.parametrize(
    "raw",
    [
        flow(approve(who=by(by="head", of={"department": "sales"}, level=2))),
        flow(approve(who=by(by="initiator"), on_self="skip", decide={"mode": "in_order"})),
        flow(approve(on_empty={"do": "people", "who": BY_ROLE, "then": {"do": "refuse_start"}})),
        flow(choice(long=[a_step("a", "auto", verdict="reject")]), managers=BY_ROLE),
        flow(a_step("c", "copy", who=BY_ROLE), a_step("f", "finish", result="approved")),
        flow(approve(deadline={"after": 0}, evidence={"comment": "must"})),
        flow(policy={"comment": "on_reject", "on_self": "head", "initiator_cancel": "never"}),
    ],
)
def test_what_is_run_is_not_reported(raw: dict[str, Any]) -> None:
    assert found(raw) == []


@pytest.mark.parametrize(
    ("raw", "findings"),
    [
        (flow(both("p", [approve()], [])), error("kind", "/steps/0/kind")),
        (flow(a_step("w", "work", who=by(by="rule", key="a", version=1))),
         error("kind", "/steps/0/kind")),
        (flow(approve(who=by(by="group", ids=["g"]))), error("source", "/steps/0/who/any_of/0")),
        (flow(approve(who=by(by="head", of={"field": "x"}))),
         error("source", "/steps/0/who/any_of/0/of/field")),
        (flow(approve(on_empty={"do": "people", "who": by(by="manager")})),
         error("source", "/steps/0/on_empty/who/any_of/0")),
        (flow(start={"who": by(by="post", ids=["p"])}), error("source", "/start/who/any_of/0")),
        (flow(managers=by(by="post", ids=["p"])), error("source", "/managers/any_of/0")),
        (flow(a_step("c", "copy", who=BY_ROLE, also_initiator_picks=True)),
         error("source", "/steps/0/also_initiator_picks")),
        (flow(approve(decide={"mode": "claim"})), error("decide", "/steps/0/decide")),
        (flow(approve(reject={"counts": "cannot_pass"})),
         error("reject", "/steps/0/reject/counts")),
        (flow(approve(reject={"then": {"do": "finish_branch"}})),
         error("reject", "/steps/0/reject/then")),
        (flow(approve(deadline={"after": 5})), error("deadline", "/steps/0/deadline")),
        (flow(approve(on_event=[{"on": "closed", "post": {"target": "t"}}])),
         error("event", "/steps/0/on_event")),
        (flow(approve(evidence={"files": "may"})), error("evidence", "/steps/0/evidence/files")),
        (flow(approve(repeat_skip="adjacent")), error("dedupe", "/steps/0/repeat_skip")),
        (flow(policy={"dedupe": "keep_first"}), error("dedupe", "/policy/dedupe")),
        (flow(policy={"visibility": "managers"}), error("policy", "/policy/visibility")),
        (flow(policy={"clock": "office"}), error("policy", "/policy/clock")),
        (flow(limits={"open_per_initiator": 1}), error("limit", "/limits/open_per_initiator")),
        (flow(a_step("c", "choice", branches=[
            branch("a", when={"all": [{"rule": "app/chain", "version": 1, "is": True}]}),
            branch("b", otherwise=True)])), error("condition", f"{WHEN}/all/0")),
        (flow(approve(acts={"transfer": True})), warned("/steps/0/acts/transfer")),
        (flow(approve(acts={"return_to": "any"})), warned("/steps/0/acts/return_to")),
        (flow(approve(acts={"labels": {"approve": "Fine"}})), warned("/steps/0/acts/labels")),
        (flow(policy={"take_back": {"on": True}}), warned("/policy/take_back")),
    ],
)  # fmt: skip
def test_what_would_silently_not_happen_is_reported(
    raw: dict[str, Any], findings: list[tuple[str, str, str]]
) -> None:
    assert found(raw) == findings


def test_everything_is_reported_at_once_and_in_order() -> None:
    raw = flow(
        approve("a", decide={"mode": "draw"}, acts={"delegate": True}),
        both("p", [approve("b", deadline={"after": 1})], []),
        policy={"dedupe": "adjacent"},
    )
    assert [at for _, _, at in found(raw)] == [
        "/steps/0/decide",
        "/steps/0/acts/delegate",
        "/steps/1/kind",
        "/steps/1/branches/0/steps/0/deadline",
        "/policy/dedupe",
    ]
