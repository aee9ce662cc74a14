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


def warned(at: str) -> list[tuple[str, str, str]]:
    return [("warning", "not_run_yet.act", at)]


RULE = {"rule": "app/chain", "version": 1, "is": True}


@pytest.mark.parametrize(
    "raw",
    [
        flow(approve(who=by(by="head", of={"department": "sales"}, level=2))),
        flow(approve(who=by(by="initiator"), on_self="skip", decide={"mode": "in_order"})),
        flow(approve(on_empty={"do": "people", "who": BY_ROLE, "then": {"do": "refuse_start"}})),
        flow(choice(long=[a_step("a", "auto", verdict="reject")]), managers=BY_ROLE),
        flow(a_step("c", "copy", who=BY_ROLE), a_step("f", "finish", result="approved")),
        flow(approve(evidence={"comment": "must", "files": "may"})),
        flow(policy={"clock": "office"}, limits={"open_per_initiator": 1}),
        flow(approve(who=by(by="head", of={"field": "x"}), decide={"mode": "claim"})),
        flow(approve(reject={"counts": "cannot_pass", "then": {"do": "finish_branch"}})),
        flow(approve(acts={"transfer": True, "return_to": "any", "labels": {"approve": "Fine"}})),
        flow(approve(repeat_skip="adjacent"), policy={"dedupe": "keep_last"}),
        flow(approve(acts={"edit_future": True}), policy={"visibility": "managers"}),
        flow(policy={"visibility": "starters_department"}),
        flow(a_step("c", "copy", who=BY_ROLE, also_initiator_picks=True)),
        flow(both("p", [approve()], []), policy={"take_back": {"on": True}}),
        flow(policy={"comment": "on_reject", "on_self": "head", "initiator_cancel": "never"}),
        flow(a_step("n", "notice", who=BY_ROLE, channel=["inbox", "email"], title="T")),
        flow(a_step("n", "notice", who=BY_ROLE, channel=["webhook"], title="T")),
        flow(approve(on_event=[{"on": "closed", "notice": {"to": ["holder"], "text": "t"}}])),
        flow(approve(on_event=[{"on": "closed", "post": {"target": "t"}}])),
        flow(approve(deadline={"after": 5, "remind": [{"before": 1, "to": ["managers"]}]})),
        flow(a_step("w", "work", who=by(by="rule", key="a", version=1))),
        flow(a_step("s", "set", changes=[{"field": "x", "to": {"rule": "a"}}])),
        flow(
            a_step("c", "choice", branches=[branch("a", when=RULE), branch("b", otherwise=True)])
        ),
    ],
)
def test_what_is_run_is_not_reported(raw: dict[str, Any]) -> None:
    assert found(raw) == []


@pytest.mark.parametrize(
    ("raw", "findings"),
    [
        (flow(policy={"reversal": {"on": True, "flow": "undo"}}), warned("/policy/reversal")),
    ],
)  # fmt: skip
def test_what_would_silently_not_happen_is_reported(
    raw: dict[str, Any], findings: list[tuple[str, str, str]]
) -> None:
    assert found(raw) == findings
