"""The preview says what then happens, and says of everything else what it depends on."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from tests.engine.approving import everybody_approves, picks
from tests.engine.builders import (
    NOW,
    Driven,
    a_field,
    approve,
    by,
    choice,
    define,
    drive,
    step,
    users,
)
from tests.engine.histories import WISHES, live, organisations, processes
from workflow.engine.commands import Answered, Start
from workflow.engine.decision import Decision
from workflow.engine.events import InstanceStarted, Picked, RulesAsked, StepEntered, WentBack
from workflow.engine.flowdoc.rules import DecideDraw
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.foreseeing import foresee, foresee_start
from workflow.engine.rejections import Rejection
from workflow.engine.state import InstanceState

AMOUNT = a_field("amount", "amount")
MUCH = {"field": "amount", "op": "gt", "value": "100"}
LOGINS = ("kim", "ann", "bao", "chi", "dan", "pia", "tom")
NEVER_ENTERED = {"choice", "goto", "finish"}

thorough = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)


def filled_in(definition, org, login="ann", picked=None, **values):
    """A request that is being filled in: nothing of it is filed."""
    started = InstanceStarted(initiator=org.id(login), number="", title="", values=values)
    run = Decision.begin(definition, started, org, NOW)
    for name, people in (picked or {}).items():
        run.emit(Picked(step=name, people=tuple(people)))
    return run


def preview(definition, org, login="ann", *, open_fields=(), picked=None, **values):
    run = filled_in(definition, org, login, picked, **values)
    before = list(run.events), run.state
    found = foresee_start(run, open_fields=frozenset(open_fields))
    assert (run.events, run.state) == before, "a preview changed what it looks at"
    return found


def flat(steps):
    """Every step that a request really enters, with those inside blocks, in order."""
    for each in steps:
        if each.kind not in NEVER_ENTERED:
            yield each
        for branch in each.branches:
            if branch.taken is not False:
                yield from flat(branch.steps)


def people(each, org):
    return [org.login(why.user) for why in each.people]


# What then happens.

FIELDS = ["amount", "note", "flag", "boss", "day", "unit", "crew"]
VALUES = st.fixed_dictionaries(
    {
        "amount": st.sampled_from(["50.00", "500.00"]),
        "note": st.sampled_from(["because", "why not"]),
        "flag": st.booleans(),
        "boss": st.sampled_from(LOGINS),
        "day": st.just("2026-03-10"),
        "unit": st.sampled_from(["engineering", "platform"]),
        "crew": st.sampled_from([("ann", "bao"), ("kim",)]),
    }
)


@thorough
@given(processes(), organisations(), VALUES, st.sampled_from(LOGINS))
def test_filled_in_completely_it_is_what_then_happens(definition, org, values, login):
    picked = picks(definition, "start")
    found = preview(definition, org, login, picked=picked, **values)
    check_marks(found)
    start = Start(org.id(login), "", values, picked)
    try:
        events, _state = everybody_approves(definition, org, start)
    except Rejection as refusal:
        assume(refusal.code == "people.nobody")
        assert any(each.ends == "refused" for each in flat(found))
        return
    compare(definition, found, events)


def compare(definition, found, events):
    # A step that asked rules stands twice in the history, with one number.
    entered = list(
        {
            each.activation: each
            for each in events
            if isinstance(each, StepEntered)
            and each.step != "start"
            and definition.plan.steps[each.step].step.kind not in NEVER_ENTERED
        }.values()
    )
    foreseen = list(flat(found))
    happened = {each.step for each in entered}
    known = not any(each.unknown for each in foreseen)
    if known:
        assert {each.step for each in foreseen if each.sure} <= happened
    if any(isinstance(each, WentBack) for each in events):
        event("it went back")
        return
    assert happened <= {each.step for each in foreseen}
    by_step = {each.step: each for each in foreseen}
    for each in entered:
        # Where the block was over before the rules had answered, nobody was asked for.
        if not only_asked(events, each.activation):
            check_people(definition, by_step[each.step], each)
    if known and all(each.sure for each in foreseen):
        event("all of it was certain")
        assert Counter(each.step for each in foreseen) == Counter(each.step for each in entered)
        if not any(each.kind in {"parallel", "inclusive"} for each in foreseen):
            assert [each.step for each in foreseen] == [each.step for each in entered]
    else:
        event("not all of it was certain")


def only_asked(events, activation):
    """Whether a step asked rules and was never entered for good."""
    asks = any(isinstance(each, RulesAsked) and each.activation == activation for each in events)
    entries = [
        each for each in events if isinstance(each, StepEntered) and each.activation == activation
    ]
    return asks and len(entries) == 1


def check_people(definition, foreseen, entered):
    planned = definition.plan.steps[entered.step].step
    if foreseen.unknown or not isinstance(planned, HumanStep):
        return
    if isinstance(planned.decide, DecideDraw):
        assert {each.user for each in entered.chosen} <= {each.user for each in foreseen.people}
        return
    assert foreseen.people == entered.chosen
    assert foreseen.dropped == entered.dropped
    assert foreseen.when_empty == entered.when_empty


def check_marks(found):
    """What holds of every preview."""
    for each in found:
        assert each.kind == "goto" or each.taken is None
        users = [why.user for why in each.people]
        assert len(set(users)) == len(users)
        assert {one.user for one in each.passes} <= set(users)
        for branch in each.branches:
            if branch.depends_on:
                assert branch.taken is None
            assert branch.taken is not False or not branch.steps
            check_marks(branch.steps)


def decided(found):
    """Every branch that is decided, by its place."""
    for each in found:
        for branch in each.branches:
            if branch.taken is not None:
                yield (each.step, branch.id), branch.taken
            yield from decided(branch.steps)


@thorough
@given(
    processes(),
    organisations(),
    VALUES,
    st.sets(st.sampled_from(FIELDS)),
)
def test_a_half_filled_form_never_guesses_and_never_raises(definition, org, values, missing):
    """Acceptance test 70: what is decided already stays so when the rest is filled in."""
    partly = {name: value for name, value in values.items() if name not in missing}
    early = preview(definition, org, open_fields=missing, **partly)
    check_marks(early)
    late = dict(decided(preview(definition, org, **values)))
    for place, taken in decided(early):
        assert late.get(place, taken) == taken


@thorough
@given(processes(), organisations(), WISHES)
def test_the_way_ahead_of_any_running_request(definition, org, wishes):
    life = live(definition, org, wishes)
    if life.state is None:
        return
    run = Decision(definition, org, NOW, life.state)
    found = foresee(run)
    assert run.state == life.state
    assert run.events == []
    check_marks(found)
    if life.state.status is not InstanceState.RUNNING:
        assert found == ()
        return
    assert {each.step for each in life.state.activations} == {each.step for each in all_now(found)}


def all_now(steps):
    for each in steps:
        if each.now:
            yield each
        for branch in each.branches:
            yield from all_now(branch.steps)


# One thing at a time.


def test_an_unknown_field_shows_all_ways_and_what_decides_them(org):
    """Acceptance test 69: the preview goes through branches and lists whoever gets a copy."""
    copy = step("tell", "copy", who=users("pia", "tom"))
    definition = define(
        choice("size", (MUCH, [approve("dan", users("dan"))]), (None, [copy])), form=[AMOUNT]
    )
    (size,) = preview(definition, org, open_fields=["amount"])
    much, little = size.branches
    assert (much.taken, little.taken, little.otherwise) == (None, None, True)
    assert [(each.kind, each.of) for each in much.depends_on] == [("field", "amount")]
    assert not much.steps[0].sure
    assert people(little.steps[0], org) == ["pia", "tom"]
    (size,) = preview(definition, org, amount="500.00")
    assert [branch.taken for branch in size.branches] == [True, False]
    assert size.branches[0].leaves[0].seen == "500.00"
    # An empty field that nobody can fill in any more has a stated meaning (test 68).
    (size,) = preview(definition, org)
    assert [branch.taken for branch in size.branches] == [False, True]
    assert size.branches[0].leaves[0].no_value


def test_a_field_that_is_filled_in_on_the_way_is_not_known_before(org):
    fills = approve("lead", users("bao"), fields={"default": "edit"})
    definition = define(
        fills, choice("size", (MUCH, [approve("dan", users("dan"))]), (None, [])), form=[AMOUNT]
    )
    assert preview(definition, org)[1].branches[0].taken is None
    assert preview(definition, org, amount="5.00")[1].branches[0].taken is False


def test_a_field_that_the_process_sets_is_known(org):
    fill = step("fill", "set", changes=[{"field": "amount", "to": "500"}])
    size = choice("size", (MUCH, [approve("dan", users("dan"))]), (None, []))
    definition = define(approve("lead", users("bao")), fill, size, form=[AMOUNT])
    for values in ({}, {"amount": "5.00"}):
        found = preview(definition, org, open_fields=["amount"], **values)
        assert found[2].branches[0].taken is True


def test_what_somebody_outside_answers_is_not_known(org):
    ask = step(
        "ask",
        "http",
        method="GET",
        url="https://example.com/rate",
        save=[{"pointer": "/rate", "to": {"field": "amount"}, "type": "amount"}],
    )
    size = choice("size", (MUCH, [approve("dan", users("dan"))]), (None, []))
    definition = define(ask, size, approve("lead", users("bao")), form=[AMOUNT])
    found = preview(definition, org, amount="5.00")
    assert found[1].branches[0].taken is None
    assert found[2].sure


def test_a_rule_is_asked_at_once_if_what_it_needs_is_known(org):
    """Decision 9; without anybody to ask, what it would say is not known."""
    org.rules = {"shop/vat": 1}
    rule = step(
        "vat",
        "rule",
        rule={"key": "shop/vat", "version": 1},
        input={"net": {"field": "net"}},
        save={"amount": "gross"},
    )
    size = choice("size", (MUCH, [approve("dan", users("dan"))]), (None, []))
    definition = define(rule, size, form=[a_field("net", "amount"), AMOUNT])
    asked = []

    def ask(what, state):
        asked.append((what.id, state.values["net"]))
        return Answered(0, ok=True, values={"amount": "500"})

    run = filled_in(definition, org, net="400.00")
    assert foresee_start(run, open_fields=frozenset())[1].branches[0].taken is None
    found = foresee_start(run, open_fields=frozenset(), ask_rule=ask)
    assert found[1].branches[0].taken is True
    run = filled_in(definition, org)
    found = foresee_start(run, open_fields=frozenset({"net"}), ask_rule=ask)
    assert found[1].branches[0].taken is None
    assert asked == [("vat", "400.00")]
    run = filled_in(definition, org, net="400.00")
    vat, _size = foresee_start(
        run, open_fields=frozenset(), ask_rule=lambda *_: Answered(0, ok=False, code="rule.failed")
    )
    assert vat.ends == "held"


def test_what_hangs_on_a_rule_of_a_step_is_not_guessed(org):
    org.rules = {"shop/clerks": 1, "shop/is_dear": 1, "shop/sum": 1}
    clerks = by("rule", key="shop/clerks", version=1)
    dear = {"any": [{"rule": "shop/is_dear", "is": True}, MUCH]}
    changes = [{"field": "amount", "to": {"rule": "shop/sum"}}]
    definition = define(
        approve("lead", clerks),
        choice("ways", (dear, [approve("boss", users("kim"))]), (None, [])),
        step("sum", "set", changes=changes),
        choice("again", (MUCH, [approve("last", users("dan"))]), (None, []), prefix="other"),
        form=[AMOUNT],
    )
    lead, ways, _sum, again = preview(definition, org, amount="50.00")
    assert [(each.why, each.of) for each in lead.unknown] == [("rule", "shop/clerks")]
    assert [branch.taken for branch in ways.branches] == [None, None]
    assert [each.of for each in ways.branches[0].depends_on] == ["shop/is_dear"]
    assert [branch.taken for branch in again.branches] == [None, None]
    # What decides without the rule is known, and the request is seen so while it asks.
    request = Driven(definition, org)
    request.start(amount="500.00")
    asked, ways, *_rest = foresee(Decision(definition, org, NOW, request.state))
    assert (asked.step, asked.now, len(asked.unknown)) == ("lead", True, 1)
    assert [branch.taken for branch in ways.branches] == [True, False]
    request.give(Answered(1, ok=True, rules={("shop/clerks", 0): [], ("shop/clerks", 1): ["bao"]}))
    request.approve("bao")
    ways, *_rest = foresee(Decision(definition, org, NOW, request.state))
    assert (ways.step, ways.now) == ("ways", True)
    assert [branch.taken for branch in ways.branches] == [True, False]


def test_other_branches_change_fields_while_this_one_runs(org):
    fill = step("fill", "set", changes=[{"field": "amount", "to": "500"}])
    size = choice("size", (MUCH, [approve("dan", users("dan"))]), (None, []))
    branches = [
        {"id": "one", "name": "One", "steps": [fill]},
        {"id": "two", "name": "Two", "steps": [size]},
    ]
    block = step("both", "parallel", branches=branches, join="all")
    again = choice("then", (MUCH, [approve("kim", users("kim"))]), (None, []), prefix="then")
    definition = define(block, again, form=[AMOUNT])
    found = preview(definition, org, amount="5.00")
    assert found[0].branches[1].steps[0].branches[0].taken is None
    # Behind the block it is known again.
    assert found[1].branches[0].taken is True


def test_whoever_approves_twice_passes_by_itself(org):
    definition = define(
        approve("lead", users("bao")),
        approve("board", users("bao", "dan"), "all"),
        policy={"dedupe": "keep_first"},
    )
    _lead, board = preview(definition, org)
    (passing,) = board.passes
    assert (org.login(passing.user), passing.why, passing.of) == ("bao", "earlier", "lead")
    assert passing.sure
    assert board.mode == "all"


def test_whoever_may_have_approved_passes_perhaps(org):
    definition = define(
        approve("lead", users("bao", "kim")),
        approve("board", users("bao")),
        policy={"dedupe": "keep_first"},
    )
    _lead, board = preview(definition, org)
    (passing,) = board.passes
    assert (passing.why, passing.of, passing.sure) == ("earlier", "lead", False)


def test_whoever_is_asked_later_passes_by_itself(org):
    definition = define(
        approve("lead", users("bao")),
        approve("last", users("bao")),
        policy={"dedupe": "keep_last"},
    )
    lead, last = preview(definition, org)
    assert [(each.why, each.of, each.sure) for each in lead.passes] == [("later", "last", True)]
    assert last.passes == ()


def test_of_a_draw_it_is_one_of_them(org):
    definition = define(approve("lead", users("bao", "dan", "kim"), "draw"))
    (lead,) = preview(definition, org)
    assert (lead.mode, people(lead, org)) == ("draw", ["bao", "dan", "kim"])


def test_people_who_hang_on_something(org):
    """Acceptance test 70: *depends on*, and never an exception or a guess."""
    definition = define(
        approve("lead", users("bao", "dan")),
        approve("boss", by("form_users", field="boss")),
        approve("own", by("picked_at_start")),
        approve("next", by("picked_by", step="lead")),
        approve("again", by("deciders_of", step="lead")),
        form=[a_field("boss", "user")],
    )
    _lead, *others = preview(definition, org, open_fields=["boss"])
    assert [[(each.why, each.of) for each in one.unknown] for one in others] == [
        [("form", "boss")],
        [("pick", "start")],
        [("pick", "lead")],
        [("decider", "lead")],
    ]


@pytest.mark.parametrize(
    ("empty", "ends", "goes_on"),
    [
        ("approve", "", True),
        ("reject", "rejected", False),
        ("hold", "held", True),
        ("refuse_start", "refused", False),
    ],
)
def test_nobody_is_found(org, empty, ends, goes_on):
    definition = define(
        approve("lead", users("ghost"), on_empty={"do": empty}), approve("next", users("bao"))
    )
    lead, *rest = preview(definition, org)
    assert (lead.when_empty, lead.ends) == (empty, ends)
    assert bool(rest) is goes_on
    assert [each.sure for each in rest] == ([empty == "approve"] if goes_on else [])


def test_a_goto_may_lead_back(org):
    back = step("back", "goto", to="lead", when=MUCH, max=3)
    definition = define(
        approve("lead", users("bao")), back, approve("last", users("dan")), form=[AMOUNT]
    )
    _lead, goto, last = preview(definition, org, open_fields=["amount"])
    assert (goto.taken, goto.to, last.sure) == (None, "lead", False)
    _lead, goto, last = preview(definition, org, amount="5.00")
    assert (goto.taken, last.sure) == (False, True)


def test_of_a_join_that_needs_no_more_nothing_inside_is_certain(org):
    branches = [
        {"id": f"way_{who}", "name": who, "steps": [approve(f"a_{who}", users(who))]}
        for who in ("bao", "dan")
    ]
    for join, sure in (("all", True), ("first", False), ({"at_least": 2}, True)):
        block = step("both", "parallel", branches=branches, join=join)
        both, last = preview(define(block, approve("last", users("kim"))), org)
        assert [branch.steps[0].sure for branch in both.branches] == [sure, sure]
        assert last.sure


def test_a_request_that_runs_is_seen_from_where_it_stands(org):
    driven = drive(
        org,
        approve("lead", users("bao")),
        approve("next", users("bao", "dan"), "all"),
        approve("last", users("kim")),
        policy={"dedupe": "keep_first"},
    )
    driven.start()
    lead, following, last = foresee(Decision(driven.definition, org, NOW, driven.state))
    assert (lead.step, lead.now, following.now) == ("lead", True, False)
    assert [org.login(each.user) for each in following.passes] == ["bao"]
    assert people(last, org) == ["kim"]
    driven.approve("bao")
    found = foresee(Decision(driven.definition, org, NOW, driven.state))
    assert [(each.step, each.now) for each in found] == [("next", True), ("last", False)]


def test_a_returned_request_goes_straight_back_if_it_was_said_so(org):
    acts = {"return_to": "any"}
    driven = drive(
        org,
        approve("lead", users("bao")),
        approve("next", users("dan"), acts=acts),
        approve("last", users("kim")),
    )
    driven.start()
    driven.approve("bao")
    driven.send_back("dan", "lead", resume="here")
    found = foresee(Decision(driven.definition, org, NOW, driven.state))
    assert [each.step for each in found] == ["lead", "next", "last"]
    driven.approve("bao")
    driven.send_back("dan", "start", resume="here")
    found = foresee(Decision(driven.definition, org, NOW, driven.state))
    assert [each.step for each in found] == ["start", "next", "last"]
