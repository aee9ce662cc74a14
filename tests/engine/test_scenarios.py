"""Scenarios: read strictly, played with a fake clock, green or what differed first."""

from __future__ import annotations

import pytest

from tests.engine.builders import a_field, approve, by, choice, define, step, users
from workflow.engine.playing import play
from workflow.engine.scenario import decode_scenarios

FORM = [a_field("amount", "amount"), a_field("note", "text")]
MUCH = {"field": "amount", "op": "gt", "value": "100"}
AT = "2026-03-02T09:00:00Z"


def process():
    """The head, and for much money finance too; then a pause of a day and a last look."""
    return define(
        approve("lead", by("head"), acts={"transfer": True}, reject={"then": {"do": "end"}}),
        choice("size", (MUCH, [approve("finance", users("dan"))]), (None, [])),
        step("pause", "delay", **{"for": "P1D"}),
        approve("last", users("kim"), deadline={"after": 60, "then": "approve"}),
        form=FORM,
    )


def scenario(**members):
    told = {
        "name": "much",
        "initiator": "ann",
        "at": AT,
        "form": {"amount": "500"},
        "clicks": [
            {"as": "bao", "do": "approve"},
            {"as": "dan", "do": "approve"},
            {"as": "kim", "do": "approve", "after": "P1D"},
        ],
        "expect": {
            "path": ["lead", "finance", "pause", "last"],
            "ends": "approved",
            "people": {"lead": ["bao"], "finance": ["dan"]},
            "values": {"amount": "500.00"},
        },
    }
    return told | members


def outcome(org, told, definition=None):
    definition = definition or process()
    decoded = decode_scenarios([told], definition.plan)
    assert decoded.findings == ()
    (read,) = decoded.scenarios
    return play(definition, read, lambda _moment: org)


def test_a_scenario_that_comes_out_as_expected_is_green(org):
    found = outcome(org, scenario())
    assert found.green
    assert found.path == ("lead", "finance", "pause", "last")
    assert found.ends == "approved"


def test_values_are_compared_as_values_and_not_as_texts(org):
    told = scenario()
    told["expect"] = {"values": {"amount": "500", "note": None}}
    assert outcome(org, told).green


def test_time_passes_only_where_a_click_says_so_and_deadlines_are_kept_on_the_way(org):
    told = scenario()
    told["clicks"] = [*told["clicks"][:2], {"do": "wait", "after": "P1DT59M"}]
    told["expect"] = {"ends": "running"}
    assert outcome(org, told).green
    told["clicks"][-1] = {"do": "wait", "after": "P1DT1H"}
    told["expect"] = {"ends": "approved", "path": ["lead", "finance", "pause", "last"]}
    assert outcome(org, told).green


@pytest.mark.parametrize(
    ("changed", "code", "at", "args"),
    [
        (
            {"form": {"amount": "50"}},
            "scenario.other_path",
            "/expect/path/1",
            {"expected": "finance", "got": "pause"},
        ),
        (
            {"clicks": [{"as": "bao", "do": "reject"}], "expect": {"ends": "approved"}},
            "scenario.other_end",
            "/expect/ends",
            {"expected": "approved", "got": "rejected"},
        ),
        (
            {"clicks": [], "expect": {"people": {"lead": ["kim"]}}},
            "scenario.other_people",
            "/expect/people/lead",
            {"step": "lead", "expected": "kim", "got": "bao"},
        ),
        (
            {"clicks": [], "expect": {"values": {"amount": "7"}}},
            "scenario.other_value",
            "/expect/values/amount",
            {"field": "amount", "expected": "7.00", "got": "500.00"},
        ),
        (
            {"clicks": [{"as": "dan", "do": "approve"}], "expect": {}},
            "scenario.no_task",
            "/clicks/0",
            {"login": "dan", "step": ""},
        ),
        (
            {"clicks": [{"as": "ghost", "do": "approve"}], "expect": {}},
            "scenario.unknown_person",
            "/clicks/0",
            {"login": "ghost"},
        ),
        (
            {"clicks": [{"as": "bao", "do": "transfer"}], "expect": {}},
            "scenario.nobody_named",
            "/clicks/0",
            {"do": "transfer"},
        ),
        ({"initiator": "ghost"}, "scenario.unknown_person", "/initiator", {"login": "ghost"}),
    ],
)
def test_a_red_scenario_says_what_differed_first(org, changed, code, at, args):
    found = outcome(org, scenario(**changed)).difference
    assert (found.code, found.at, dict(found.args)) == (code, at, args)


def test_a_refused_click_names_the_reason_of_the_engine(org):
    told = scenario(clicks=[{"as": "bao", "do": "return", "to": "start", "comment": "why?"}])
    found = outcome(org, told).difference
    assert found.code == "scenario.refused"
    assert (found.at, found.args["code"]) == ("/clicks/0", "act.switched_off")


def test_values_that_the_form_refuses_are_told_with_their_place(org):
    found = outcome(org, scenario(form={"amount": "much"})).difference
    assert (found.code, found.args["code"]) == ("scenario.not_started", "form.invalid")
    assert found.args["place"] == "/amount"


def test_a_path_that_parted_is_told_and_not_the_click_that_stumbles_over_it(org):
    told = scenario(form={"amount": "5"})
    told["clicks"] = told["clicks"][:2]
    assert outcome(org, told).difference.code == "scenario.other_path"


def asking():
    return define(
        step("call", "http", method="POST", url="https://example.com/x", on_fail="continue"),
        step("child", "subflow", flow="other", version="latest_at_entry", output={"note": "text"}),
        approve("lead", users("bao")),
        form=FORM,
    )


def test_what_is_asked_outside_gets_the_scenarios_own_answer(org):
    org.flows = {"other": 1}
    told = scenario(clicks=[{"as": "bao", "do": "approve"}])
    told["answers"] = {"call": {"ok": False}, "child": {"values": {"text": "done"}}}
    told["expect"] = {
        "path": ["call", "child", "lead"],
        "ends": "approved",
        "values": {"note": "done"},
    }
    assert outcome(org, told, asking()).green


def test_a_step_without_an_answer_is_named(org):
    told = scenario(clicks=[{"as": "bao", "do": "approve"}], expect={"ends": "approved"})
    found = outcome(org, told, asking()).difference
    assert (found.code, found.at, found.args["step"]) == (
        "scenario.unanswered",
        "/clicks/0",
        "call",
    )


def test_managers_and_the_initiator_act_on_the_whole_request(org):
    told = scenario(
        clicks=[
            {"as": "kim", "do": "suspend", "comment": "wait"},
            {"as": "kim", "do": "resume"},
            {"as": "kim", "do": "reassign", "step": "lead", "to": "tom", "comment": "away"},
            {"as": "kim", "do": "cancel", "comment": "enough"},
        ],
        expect={"ends": "terminated", "path": ["lead"], "people": {"lead": ["bao"]}},
    )
    assert outcome(org, told).green
    told = scenario(clicks=[{"as": "ann", "do": "withdraw"}], expect={"ends": "cancelled"})
    assert outcome(org, told).green


def test_everything_that_can_be_done_with_a_task_can_be_clicked(org):
    acts = ("transfer", "delegate", "add_before", "add_with", "remove_added", "send_copy")
    definition = define(
        approve("lead", users("bao"), acts=dict.fromkeys(acts, True) | {"return_to": "any"}),
        approve("pool", users("chi", "dan"), "claim", acts={"give_back": True}),
        form=FORM,
    )
    clicks = [
        {"as": "bao", "do": "comment", "comment": "hello"},
        {"as": "bao", "do": "copy", "to": ["tom"]},
        {"as": "bao", "do": "add-signer", "to": ["kim"], "place": "with"},
        {"as": "bao", "do": "remove-signer", "to": "kim"},
        {"as": "bao", "do": "delegate", "to": "pia"},
        {"as": "pia", "do": "hand-back", "comment": "fine"},
        {"as": "bao", "do": "snooze"},
        {"as": "bao", "do": "ask-substitute", "comment": "please"},
        {"as": "bao", "do": "return", "to": "start", "comment": "why?"},
        {"as": "ann", "do": "resubmit", "form": {"note": "because"}},
        {"as": "bao", "do": "transfer", "to": "kim"},
        {"as": "kim", "do": "approve"},
        {"as": "chi", "do": "claim"},
        {"as": "chi", "do": "release"},
        {"as": "kim", "do": "jump", "to": "lead", "comment": "again"},
        {"as": "bao", "do": "approve"},
        {"as": "dan", "do": "claim"},
        {"as": "dan", "do": "approve"},
    ]
    path = ["lead", "start", "lead", "pool", "lead", "pool"]
    expected = {"path": path, "ends": "approved", "values": {"note": "because"}}
    found = outcome(org, scenario(clicks=clicks, expect=expected), definition)
    assert found.difference is None


def test_a_decision_is_taken_back_in_a_scenario_too(org):
    definition = define(
        approve("first", users("bao")),
        approve("second", users("dan")),
        form=FORM,
        policy={"take_back": {"on": True, "within": "PT10M"}},
    )
    told = scenario(
        clicks=[
            {"as": "bao", "do": "approve"},
            {"as": "bao", "do": "take-back", "comment": "oops", "after": "PT5M"},
            {"as": "bao", "do": "reject"},
        ],
        expect={"ends": "rejected"},
    )
    assert outcome(org, told, definition).green
    told["clicks"][1]["after"] = "PT11M"
    assert outcome(org, told, definition).difference.args["code"] == "take_back.too_late"


@pytest.mark.parametrize(
    ("told", "code", "at"),
    [
        ({"name": "x"}, "scenario.field_missing", "/0"),
        (scenario(ghost=1), "scenario.unknown_key", "/0"),
        (scenario(initiator=7), "scenario.bad_shape", "/0/initiator"),
        (scenario(at="yesterday"), "scenario.bad_value", "/0/at"),
        (scenario(expect={"ends": "well"}), "scenario.bad_shape", "/0/expect/ends"),
        (scenario(expect={"path": ["ghost"]}), "scenario.unknown_step", "/0/expect/path/0"),
        (scenario(answers={"ghost": {}}), "scenario.unknown_step", "/0/answers/ghost"),
        (scenario(clicks=[{"do": "fly", "as": "bao"}]), "scenario.bad_shape", "/0/clicks/0/do"),
        (scenario(clicks=[{"do": "approve"}]), "scenario.field_missing", "/0/clicks/0"),
        (
            scenario(clicks=[{"do": "wait", "after": "soon"}]),
            "scenario.bad_value",
            "/0/clicks/0/after",
        ),
        (scenario(clicks=[{"do": "wait"}] * 201), "scenario.bad_shape", "/0/clicks"),
        ("x", "scenario.bad_shape", "/0"),
    ],
)
def test_what_is_wrong_with_the_shape_has_a_position(told, code, at):
    decoded = decode_scenarios([told], process().plan)
    assert decoded.scenarios == ()
    assert [(each.code, each.at) for each in decoded.findings] == [(code, at)]


def test_there_is_an_end_to_how_many():
    told = [scenario(name=f"s{number}") for number in range(51)]
    assert [each.code for each in decode_scenarios(told).findings] == ["scenario.too_many"]
    assert [each.code for each in decode_scenarios({}).findings] == ["scenario.bad_value"]
    clicks = [{"do": "wait"}] * 200
    told = [scenario(name=f"s{number}", clicks=clicks) for number in range(11)]
    assert [each.code for each in decode_scenarios(told).findings] == ["scenario.too_many_clicks"]
    twice = decode_scenarios([scenario(), scenario()])
    assert [(each.code, each.at) for each in twice.findings] == [("scenario.same_name", "/1/name")]


def asks_rules():
    return define(
        choice(
            "size",
            ({"rule": "shop/is_dear", "is": True}, [approve("boss", users("kim"))]),
            (None, []),
        ),
        approve("lead", by("rule", key="shop/clerks", version=1)),
        form=FORM,
    )


def test_a_scenario_says_what_the_rules_of_a_step_say(org):
    told = scenario(
        clicks=[{"as": "kim", "do": "approve"}, {"as": "dan", "do": "approve"}],
        answers={
            "size": {"values": {"shop/is_dear": True}},
            "lead": {"values": {"shop/clerks": ["dan"]}},
        },
        expect={"path": ["boss", "lead"], "ends": "approved", "people": {"lead": ["dan"]}},
    )
    found = outcome(org, told, asks_rules())
    assert found.green, found.difference


def test_a_rule_of_which_a_scenario_says_nothing_is_not_guessed(org):
    told = scenario(
        clicks=[{"as": "kim", "do": "approve"}],
        answers={"size": {"values": {}}},
        expect={"ends": "approved"},
    )
    found = outcome(org, told, asks_rules())
    assert found.difference is not None
    assert (found.difference.code, found.difference.args) == (
        "scenario.unanswered",
        {"step": "size"},
    )
