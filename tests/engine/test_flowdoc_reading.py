"""Reading process documents: what is accepted, and every problem of shape with its position."""

from __future__ import annotations

import copy
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.flows import a_step, approve, both, branch, choice, flow, json_values, trees
from workflow.engine.canonical import canonical_bytes, digest
from workflow.engine.flowdoc import ApproveStep, Deadline, Flowdoc, RejectEnd, json_schema
from workflow.engine.parsing import decode

EVERY_KIND = flow(
    approve(
        "ask",
        decide={"mode": "vote", "need": {"num": 2, "den": 3}, "weights": {"bao": 2}},
        reject={"counts": "cannot_pass", "then": {"do": "back", "to": {"step": "start"}}},
        on_empty={"do": "people", "who": {"any_of": [{"by": "user", "ids": ["bao"]}]}},
        deadline={"after": {"field": "when"}, "then": {"escalate": 2}},
        acts={"transfer": True, "return_to": ["ask"], "labels": {"return": "Back"}},
        fields={"default": "hide", "set": {"a.b": "must"}, "rows": {"a": ["add"]}},
        on_event=[{"on": "approved", "post": {"target": "erp"}}],
    ),
    a_step("job", "work", who={"any_of": [{"by": "head_chain", "until": {"top": True}}]}),
    a_step("tell", "copy", who={"any_of": [{"by": "manager", "of": {"decider_of": "ask"}}]}),
    a_step("no", "auto", verdict="reject", reason="No"),
    choice(),
    both("all_of", [], [approve("in_all")], branch_reject="branch_only"),
    a_step(
        "some",
        "inclusive",
        join={"at_least": 1},
        branches=[branch("i1", when={"field": "x", "op": "empty"}), branch("i2", otherwise=True)],
    ),
    a_step("child", "subflow", flow="other", version="latest_at_entry", input={"a": {"var": "v"}}),
    a_step("wait", "delay", **{"for": "P1D"}),
    a_step(
        "call",
        "http",
        method="POST",
        url="https://example.org",
        headers={"Authorization": {"secret": "k"}},
        save=[{"pointer": "/a", "to": {"field": "a"}, "type": "text"}],
    ),
    a_step(
        "put", "set", changes=[{"field": "a", "to": {"now": True}}, {"field": "b", "to": None}]
    ),
    a_step("judge", "rule", rule={"key": "app/chain", "version": 3}),
    a_step(
        "note",
        "notice",
        who={"any_of": [{"by": "initiator"}]},
        channel=["inbox"],
        title="{number}",
    ),
    a_step("again", "goto", to="ask", max=3),
    a_step("stop", "finish", result="cancelled"),
)


def problems(raw: object) -> list[tuple[str, str, str | None]]:
    """Code, position and step of everything found."""
    decoded = decode(raw)
    assert decoded.doc is None
    return [(each.code, each.at, each.step) for each in decoded.findings]


def test_every_kind_of_step_is_read() -> None:
    decoded = decode(EVERY_KIND)
    assert decoded.findings == ()
    assert decoded.doc is not None
    assert len({step.kind for step in decoded.doc.steps}) == 15


def test_the_smallest_document_has_the_documented_defaults() -> None:
    decoded = decode(flow(approve()))
    assert decoded.doc is not None
    step = decoded.doc.steps[0]
    assert isinstance(step, ApproveStep)
    assert (step.decide.mode, step.on_empty.do, step.on_self) == ("any", "hold", None)
    assert (step.reject.counts, step.reject.then) == ("any_one", RejectEnd())
    assert (step.fields.default, decoded.doc.start.fields.default) == ("read", "edit")
    assert decoded.doc.policy.on_self == "allow"
    assert (step.evidence.comment, step.evidence.signature, step.evidence.files) == (
        "may", "no", "no",
    )  # fmt: skip


@pytest.mark.parametrize("raw", [None, 1, 1.5, "x", [], True])
def test_what_is_no_object_is_refused(raw: object) -> None:
    assert problems(raw) == [("doc.bad_type", "", None)]


@pytest.mark.parametrize("version", [None, 0, 2, "1", 1.0, True])
def test_another_version_is_refused_without_a_look_at_the_rest(version: object) -> None:
    raw = {"flowdoc": version, "nonsense": 1}
    assert problems(raw) == [("doc.version", "/flowdoc", None)]


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (flow(key="Leave"), ("doc.bad_value", "/key", None)),
        (flow(key="leave\n"), ("doc.bad_value", "/key", None)),
        (flow(name=""), ("doc.out_of_range", "/name", None)),
        (flow(name="   "), ("doc.out_of_range", "/name", None)),
        (flow(name="x" * 65), ("doc.out_of_range", "/name", None)),
        (flow(name="a\x00b"), ("doc.bad_character", "/name", None)),
        (flow(name="a\ud800"), ("doc.bad_character", "/name", None)),
        (flow(nmae="x"), ("doc.unknown_key", "/nmae", None)),
        (flow(summary=["a"] * 7), ("doc.out_of_range", "/summary", None)),
        (flow(number={"width": 2}), ("doc.out_of_range", "/number/width", None)),
        (flow(number={"width": True}), ("doc.bad_type", "/number/width", None)),
        (flow(number={"width": 4.0}), ("doc.bad_type", "/number/width", None)),
        (flow(number={"width": 10**5000}), ("doc.out_of_range", "/number/width", None)),
        (flow(policy={"dedupe": "maybe"}), ("doc.bad_value", "/policy/dedupe", None)),
        (flow(policy={"take_back": {"within": "1 day"}}),
         ("doc.bad_value", "/policy/take_back/within", None)),
        (flow(a_step("x", "auto", id=None, verdict="approve")), ("id.missing", "/steps/0", None)),
        (flow(approve(id="")), ("id.missing", "/steps/0", None)),
        (flow(a_step("x", "zip")), ("step.unknown_kind", "/steps/0/kind", "x")),
        (flow({"id": "x", "name": "x"}), ("step.field_missing", "/steps/0", "x")),
        (flow(approve("x", who=None)), ("doc.bad_type", "/steps/0/who", "x")),
        (flow(approve("x", join="all")), ("step.field_not_allowed", "/steps/0/join", "x")),
        (flow(approve("x", jion="all")), ("doc.unknown_key", "/steps/0/jion", "x")),
        (flow(approve("x", who={"any_of": []})), ("people.none", "/steps/0/who/any_of", "x")),
        (flow(approve("x", who={"any_of": [{"by": "role", "ids": []}]})),
         ("people.none", "/steps/0/who/any_of/0/ids", "x")),
        (flow(approve("x", who={"any_of": [{"by": "role", "ids": [7]}]})),
         ("doc.bad_type", "/steps/0/who/any_of/0/ids/0", "x")),
        (flow(approve("x", who={"any_of": [{"by": "fate"}]})),
         ("doc.bad_value", "/steps/0/who/any_of/0/by", "x")),
        (flow(approve("x", who={"any_of": [{"by": "head", "of": {}}]})),
         ("doc.one_of", "/steps/0/who/any_of/0/of", "x")),
        (flow(approve("x", who={"any_of": [
            {"by": "head", "of": {"field": "a", "department": "b"}}]})),
         ("doc.one_of", "/steps/0/who/any_of/0/of", "x")),
        (flow(approve("x", decide={"mode": "vote", "need": {"num": 1}})),
         ("doc.one_of", "/steps/0/decide/need", "x")),
        (flow(approve("x", on_event=[{"on": "closed"}])),
         ("doc.one_of", "/steps/0/on_event/0", "x")),
        (flow(a_step("d", "delay")), ("doc.one_of", "/steps/0", "d")),
        (flow(a_step("d", "delay", until="2026-01-01")), ("doc.bad_value", "/steps/0/until", "d")),
        (flow(a_step("p", "parallel", branches=[branch("a"), branch("b")])),
         ("join.missing", "/steps/0", "p")),
        (flow(a_step("p", "parallel", join="all", branches=[branch("a")])),
         ("branch.too_few", "/steps/0/branches", "p")),
        (flow(a_step("c", "choice", branches=[branch("a", when={"field": "x"}), branch("b")])),
         ("cond.bad_op", "/steps/0/branches/0/when/op", "c")),
        (flow(*[approve(f"s{number}") for number in range(301)]), ("doc.size", "/steps", None)),
    ],
)  # fmt: skip
def test_a_problem_of_shape_has_its_code_place_and_step(
    raw: object, found: tuple[str, str, str | None]
) -> None:
    assert problems(raw) == [found]


def test_all_problems_come_at_once_in_document_order() -> None:
    number: Any = 7
    raw = flow(
        {"name": 3, "kind": "approve", "who": {"any_of": [{"by": "role"}]}},
        a_step("zip", "zip"),
        number,
        nmae="x",
    )
    raw = {"name": "", **{key: value for key, value in raw.items() if key != "name"}}
    assert [(code, at) for code, at, _ in problems(raw)] == [
        ("doc.out_of_range", "/name"),
        ("id.missing", "/steps/0"),
        ("doc.bad_type", "/steps/0/name"),
        ("step.field_missing", "/steps/0/who/any_of/0"),
        ("step.unknown_kind", "/steps/1/kind"),
        ("doc.bad_type", "/steps/2"),
        ("doc.unknown_key", "/nmae"),
    ]


@pytest.mark.parametrize(
    ("after", "meaning"),
    [
        ("", None), ("  ", None), (0, None), (None, None), ("PT0M", None), ("P0D", None),
        (1, "PT1M"), (525600, "PT8760H"), ("PT24H", "PT24H"), ("P1D", "PT24H"),
        ("PT90M", "PT1H30M"), (525601, "deadline.too_long"), ("P366D", "deadline.too_long"),
        (-1, "deadline.bad_value"), (1.5, "deadline.bad_value"), ("-PT5M", "deadline.bad_value"),
        ("PT90S", "deadline.bad_value"), ("P1M", "deadline.bad_value"),
        ("tomorrow", "deadline.bad_value"), (float("nan"), "deadline.bad_value"),
        (True, "doc.bad_type"), ([], "doc.bad_type"),
    ],
)  # fmt: skip
def test_minutes_of_a_deadline(after: object, meaning: str | None) -> None:
    """Seed requirements, P8: 0 and blank are off, at most 525600 whole minutes."""
    decoded = decode(flow(approve("x", deadline={"after": after, "then": "none"})))
    if meaning is not None and "." in meaning:
        assert [(each.code, each.at) for each in decoded.findings] == [
            (meaning, "/steps/0/deadline/after")
        ]
        return
    assert decoded.doc is not None
    step = decoded.doc.steps[0]
    assert isinstance(step, ApproveStep)
    expected = None if meaning is None else Deadline(after=meaning)
    assert step.deadline == expected


def test_an_endlessly_deep_document_is_refused() -> None:
    who: dict[str, Any] = {"any_of": [{"by": "initiator"}]}
    for _ in range(5000):
        who = {"any_of": [{"by": "picked_at_start", "from": who}]}
    assert {code for code, _, _ in problems(flow(approve("x", who=who)))} == {"doc.depth"}


def test_a_flood_of_problems_is_cut() -> None:
    decoded = decode(flow(**{f"k{number}": 1 for number in range(20000)}))
    assert len(decoded.findings) <= 501
    assert decoded.findings[-1].code == "doc.too_many_problems"


def test_a_document_that_is_too_large_is_refused() -> None:
    steps = [approve(f"s{number}", note="x" * 500, who={"any_of": [
        {"by": "user", "ids": [f"{'u' * 100}{number}" for number in range(15)]}]})
        for number in range(300)]  # fmt: skip
    assert problems(flow(*steps)) == [("doc.size", "", None)]


def test_equal_documents_have_equal_digests() -> None:
    short = flow(approve("x"), approve("y", deadline={"after": "P1D"}), name="Caf\u00e9")
    long = flow(
        approve("x", decide={"mode": "any"}, on_event=[], note="", deadline={"after": 0},
                fields={"set": {}, "default": "read"}, on_self=None, acts={"labels": {}}),
        approve("y", deadline={"then": "none", "after": 1440, "clock": "wall"}),
        name="Cafe\u0301", policy={}, managers=None,
        start={"who": None, "fields": {"default": "edit"}},
    )  # fmt: skip
    long = dict(reversed(list(long.items())))
    docs = [decode(short).doc, decode(long).doc]
    assert docs[0] is not None
    assert docs[1] is not None
    assert canonical_bytes(docs[0]) == canonical_bytes(docs[1])
    other = decode(flow(approve("x"), approve("y"), name="Café")).doc
    assert other is not None
    assert digest(canonical_bytes(other)) != digest(canonical_bytes(docs[0]))


def test_canonical_bytes_are_sorted_composed_and_read_back() -> None:
    doc = decode(EVERY_KIND).doc
    assert doc is not None
    written = canonical_bytes(doc)
    raw = json.loads(written)
    assert json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False) == (
        written.decode()
    )
    assert decode(raw).doc == doc
    # The reader and msgspec agree on what a canonical document means.
    assert msgspec.json.decode(written, type=Flowdoc) == doc


def test_the_schema_comes_from_the_same_definition() -> None:
    schema = json_schema()
    text = json.dumps(schema)
    for kind in decode(EVERY_KIND).doc.steps:
        assert f'"{kind.kind}"' in text
    assert schema["$defs"]["Flowdoc"]["additionalProperties"] is False


@given(json_values)
@settings(max_examples=300, deadline=None)
def test_no_json_value_makes_it_raise(value: object) -> None:
    decode(value)
    decode({"flowdoc": 1, "key": "a", "name": "a", "steps": value, "start": value})
    decode(flow(approve("x", who=value, decide=value, deadline=value, fields=value)))


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """The document with every kind, with one value somewhere in it replaced."""
    raw = copy.deepcopy(EVERY_KIND)
    here: Any = raw
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return raw
        key = draw(st.sampled_from(keys))
        if not isinstance(here[key], dict | list) or draw(st.integers(0, 4)) == 0:
            here[key] = draw(json_values)
            return raw
        here = here[key]


@given(damaged())
@settings(max_examples=300, deadline=None)
def test_what_is_accepted_is_what_msgspec_accepts(raw: object) -> None:
    decoded = decode(raw)
    assert (decoded.doc is None) == bool(decoded.findings)
    for finding in decoded.findings:
        msgspec.json.encode([finding.code, finding.at, finding.step, dict(finding.args)])
    if decoded.doc is not None:
        written = canonical_bytes(decoded.doc)
        assert msgspec.json.decode(written, type=Flowdoc) == decode(json.loads(written)).doc
        again = decode(json.loads(written)).doc
        assert again is not None
        assert canonical_bytes(again) == written


@given(trees())
@settings(max_examples=60, deadline=None)
def test_reading_what_was_written_changes_nothing(raw: dict[str, Any]) -> None:
    doc = decode(raw).doc
    assert doc is not None
    assert decode(json.loads(canonical_bytes(doc))).doc == doc
