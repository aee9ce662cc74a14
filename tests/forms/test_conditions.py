"""Conditions: their structure, their sense on a form, and what they answer."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.forms.test_reading import JSON, a_field, decoded
from workflow.forms.condition_checks import check
from workflow.forms.condition_reading import read_cond
from workflow.forms.conditions import Cond, fields_of, leaves, shape
from workflow.forms.evaluation import UNKNOWN, Unknown, evaluate, text_of
from workflow.forms.formdoc import fields_by_id

if TYPE_CHECKING:
    from workflow.forms.scalars import FieldType, Value

OPTIONS = [{"id": "a|b'\"", "label": "Odd"}, {"id": "x", "label": "X"}]
FORM = decoded(
    a_field("days", "integer"),
    a_field("num", "number"),
    a_field("sum", "amount"),
    a_field("why"),
    a_field("para", "long_text"),
    a_field("day", "date"),
    a_field("at", "time"),
    a_field("moment", "timestamp"),
    a_field("yes", "bool"),
    a_field("pick", "choice", options=OPTIONS),
    a_field("many", "multi_choice", options=OPTIONS),
    a_field("who", "user"),
    a_field("crew", "user", limits={"max_count": 5}),
    a_field("unit", "department"),
    a_field("note", "note"),
    a_field("lines", "table", columns=[a_field("cost", "amount"), a_field("text")]),
)
FIELDS = fields_by_id(FORM)


class View:
    """Answers from a dictionary."""

    today = date(2024, 3, 10)

    def __init__(self, values: dict[str, Value | Unknown]) -> None:
        self.values = values

    def value(self, field_id: str, /) -> Value | Unknown:
        return self.values.get(field_id)

    def field_type(self, field_id: str, /) -> FieldType | None:
        return FIELDS[field_id].type if field_id in FIELDS else None

    def initiator_in(self, kind: str, ids: tuple[str, ...], /) -> bool | None:
        return {"role": "boss" in ids, "department": None, "is": "ann" in ids}[kind]

    def rule_says(self, rule: str, pinned: int, /) -> Value | Unknown:
        said: dict[str, Value] = {"app/yes": True, "app/text": "yes", "app/one": 1}
        return said.get(rule, UNKNOWN) if not pinned else UNKNOWN

    def outcome(self, step_id: str, /) -> str | Unknown | None:
        outcomes: dict[str, str | Unknown] = {"lead": "approved", "later": UNKNOWN}
        return outcomes.get(step_id)

    def lies_under(
        self, kind: str, ids: tuple[str, ...], departments: tuple[str, ...], /
    ) -> bool | None:
        below = {"user": {"bao": "eng", "chi": "fin"}, "department": {"web": "eng", "eng": "eng"}}
        known = [below[kind].get(each) for each in ids]
        return None if "nobody" in ids else any(each in departments for each in known)


def cond(raw: object) -> Cond:
    read, findings = read_cond(raw, "", None)
    assert findings == ()
    assert read is not None
    return read


def leaf(field: str, op: str, value: object = None) -> dict[str, object]:
    return {"field": field, "op": op, **({} if value is None else {"value": value})}


def answer(raw: object, **values: Any) -> bool | None:
    tree = cond(raw)
    if not any(finding.code == "form.unknown_field" for finding in check(tree, FORM, "")):
        assert check(tree, FORM, "") == ()
    return evaluate(tree, View(values)).result


@pytest.mark.parametrize(
    ("field", "op", "operand", "seen", "result"),
    [
        ("days", "ge", "3", 3, True),
        ("days", "gt", 3, 3, False),
        ("days", "in", [1, "2", 3], 2, True),
        ("days", "between", ["1", 3], 3, True),
        ("days", "between", [4, 5], 3, False),
        ("num", "eq", "9007199254740993", "9007199254740993", True),
        ("num", "eq", "9007199254740993", "9007199254740992", False),
        ("num", "lt", "9007199254740993.0000000001", "9007199254740993", True),
        ("num", "ne", "1.50", "1.5", False),
        ("sum", "gt", "10000", "10000.00", False),
        ("sum", "gt", "10000", "10000.01", True),
        ("sum", "le", "9", "10.00", False),
        ("why", "eq", "é", "e\u0301", True),
        ("why", "contains", "|'\"", "a|'\"b", True),
        ("why", "starts", "A", "abc", False),
        ("why", "ends", "c", "abc", True),
        ("why", "in", ["a", "b"], "b", True),
        ("why", "matches", "^[A-Z]{2}-\\d+$", "AB-12", True),
        ("why", "matches", "^[A-Z]{2}-\\d+$", "AB-", False),
        ("para", "contains", "\n", "a\nb", True),
        ("day", "eq", "2024-03-10", "2024-03-10", True),
        ("day", "before", "2024-03-10", "2024-03-09", True),
        ("day", "after", "2024-03-10", "2024-03-10", False),
        ("day", "between", ["2024-03-01", "2024-03-31"], "2024-03-31", True),
        ("day", "within_last", "P7D", "2024-03-03", True),
        ("day", "within_last", "P7D", "2024-03-02", False),
        ("day", "within_last", "P7D", "2024-03-11", False),
        ("day", "within_next", "P1W", "2024-03-17", True),
        ("day", "within_next", 0, "2024-03-10", True),
        ("day", "within_next", "P1W", "2024-03-09", False),
        ("at", "before", "09:00", "08:59:59", True),
        ("moment", "after", "2024-03-10T00:00:00Z", "2024-03-10T01:00:00+02:00", False),
        ("moment", "within_last", 1, "2024-03-09T23:00:00-02:00", True),
        ("yes", "is", True, True, True),
        ("yes", "is", False, True, False),
        ("pick", "is", "a|b'\"", "a|b'\"", True),
        ("pick", "in", ["x"], "a|b'\"", False),
        ("many", "has", "x", ("x",), True),
        ("many", "has_any", ["x", "a|b'\""], ("x",), True),
        ("many", "has_all", ["x", "a|b'\""], ("x",), False),
        ("who", "in", ["ann", "bao"], "bao", True),
        ("who", "is", "bao", "bao", True),
        ("who", "under", ["eng"], "bao", True),
        ("who", "under", ["eng"], "chi", False),
        ("who", "under", ["eng"], "nobody", None),
        ("crew", "is", "ann", ("bao", "ann"), True),
        ("crew", "in", ["eve"], ("bao", "ann"), False),
        ("crew", "under", ["eng"], ("chi", "bao"), True),
        ("unit", "is", "web", "eng", False),
        ("unit", "in", ["web", "eng"], "eng", True),
        ("unit", "under", ["eng"], "web", True),
        ("at", "between", ["09:00", "10:00"], "09:00:01", True),
        ("moment", "before", "2024-03-10T00:00:00Z", "2024-03-09T23:59:59Z", True),
        ("moment", "eq", "2024-03-10T08:00:00+08:00", "2024-03-10T00:00:00Z", True),
    ],
)
def test_operators(field: str, op: str, operand: object, seen: object, result: object) -> None:
    assert answer(leaf(field, op, operand), **{field: seen}) is result


@pytest.mark.parametrize("field", [name for name in FIELDS if name not in {"note", "lines"}])
def test_without_a_value_everything_but_empty_and_ne_is_false(field: str) -> None:
    operands: dict[str, object] = {
        "integer": 1, "number": "1", "amount": "1", "text": "x", "long_text": "x",
        "date": "2024-01-01", "time": "10:00", "timestamp": "2024-01-01T00:00:00Z",
        "bool": False, "choice": "x", "multi_choice": "x", "user": "ann",
        "department": "eng",
    }  # fmt: skip
    one = operands[FIELDS[field].type]
    op = next(op for op in ("eq", "is", "has") if not check(cond(leaf(field, op, one)), FORM, ""))
    verdict = evaluate(cond(leaf(field, op, one)), View({}))
    assert (verdict.result, verdict.no_value, verdict.seen) == (False, True, None)
    assert answer({"not": leaf(field, op, one)}) is True
    assert answer(leaf(field, "empty")) is True
    assert answer(leaf(field, "not_empty")) is False


def test_ne_is_true_without_a_value() -> None:
    for field, value in (("days", 1), ("why", "x"), ("sum", "1")):
        verdict = evaluate(cond(leaf(field, "ne", value)), View({}))
        assert (verdict.result, verdict.no_value) == (True, True)


def test_false_and_nought_are_values() -> None:
    assert answer(leaf("yes", "empty"), yes=False) is False
    assert answer(leaf("days", "empty"), days=0) is False
    assert answer(leaf("why", "empty"), why="") is True


def test_the_initiator_and_steps() -> None:
    assert answer({"initiator": "in_role", "ids": ["boss"]}) is True
    assert answer({"initiator": "is", "ids": ["bao"]}) is False
    assert answer({"initiator": "in_department", "ids": ["eng"]}) is None
    assert answer({"step": "lead", "outcome": "approved"}) is True
    assert answer({"step": "lead", "outcome": "rejected"}) is False
    assert answer({"step": "never", "outcome": "skipped"}) is False
    assert answer({"not": {"step": "never", "outcome": "skipped"}}) is True
    assert answer({"step": "later", "outcome": "approved"}) is None
    assert answer({"rule": "shop/limit", "version": 2}) is None


def test_what_a_rule_said_is_compared_without_coercion() -> None:
    assert answer({"rule": "app/yes"}) is True
    assert answer({"rule": "app/yes", "is": False}) is False
    assert answer({"rule": "app/yes", "is": 1}) is False
    assert answer({"rule": "app/one", "is": True}) is False
    assert answer({"rule": "app/one", "is": 1}) is True
    assert answer({"rule": "app/text", "version": "latest_at_entry", "is": "yes"}) is True
    assert answer({"rule": "app/text", "version": 3, "is": "yes"}) is None


def test_the_explanation_has_every_leaf_with_what_it_saw() -> None:
    both = {"all": [leaf("why", "eq", "x"), {"initiator": "is", "ids": ["ann"]}]}
    tree = cond({"any": [leaf("days", "ge", "3"), {"not": leaf("sum", "gt", "5")}, both]})
    verdict = evaluate(tree, View({"days": 5, "sum": UNKNOWN}))
    seen = [
        (one.asked, one.op, text_of(one.expected), text_of(one.seen), one.result, one.no_value)
        for one in verdict.leaves()
    ]
    assert seen == [
        ("days", "ge", "3", "5", True, False),
        ("sum", "gt", "5", "", None, False),
        ("why", "eq", "x", "", False, True),
        ("is", "in", "ann", "", True, False),
    ]
    assert [part.result for part in verdict.parts] == [True, None, False]
    assert verdict.depends_on() == ("sum",)
    assert [text_of(value) for value in (True, ("a", 2), None)] == ["true", "a, 2", ""]


def test_walks() -> None:
    either = {"any": [leaf("sum", "eq", 1), leaf("days", "eq", 2)]}
    tree = cond({"all": [leaf("days", "eq", 1), {"not": either}]})
    assert [at for at, _ in leaves(tree, "/when")] == [
        "/when/all/0", "/when/all/1/not/any/0", "/when/all/1/not/any/1",
    ]  # fmt: skip
    assert fields_of(tree) == ("days", "sum")
    assert shape(tree) == "all"
    with pytest.raises(ValueError, match="without a shape"):
        shape(Cond())


def deep(levels: int) -> object:
    return leaf("days", "eq", 1) if levels == 1 else {"not": deep(levels - 1)}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, [("doc.bad_type", "/w")]),
        ("true", [("doc.bad_type", "/w")]),
        ({}, [("cond.bad_shape", "/w")]),
        ({"all": [], "any": []}, [("cond.bad_shape", "/w")]),
        ({"all": []}, [("cond.bad_value", "/w/all")]),
        ({"any": {}}, [("doc.bad_type", "/w/any")]),
        ({"not": []}, [("doc.bad_type", "/w/not")]),
        ({"field": "a", "op": "eq", "value": 1.5}, [("cond.bad_value", "/w/value")]),
        ({"field": "a", "op": "eq", "value": [1, {}]}, [("cond.bad_value", "/w/value/1")]),
        ({"field": "a", "op": "eq", "value": 2**60}, [("cond.bad_value", "/w/value")]),
        ({"field": "a", "op": "eq", "value": "\ud800"}, [("cond.bad_value", "/w/value")]),
        ({"field": 1, "op": None, "x": 1},
         [("doc.unknown_key", "/w/x"), ("doc.bad_type", "/w/field"), ("cond.bad_op", "/w/op")]),
        ({"initiator": "in_space", "ids": []},
         [("cond.bad_op", "/w/initiator"), ("cond.bad_value", "/w/ids")]),
        ({"initiator": "is", "ids": [7]}, [("doc.bad_type", "/w/ids/0")]),
        ({"step": "a", "outcome": "done"}, [("cond.bad_value", "/w/outcome")]),
        ({"rule": "a", "version": True}, [("cond.bad_value", "/w/version")]),
        ({"rule": "a", "version": "latest_at_entry", "is": {}}, [("cond.bad_value", "/w/is")]),
        (deep(9), [("cond.depth", "/w" + "/not" * 8)]),
        ({"any": [leaf("days", "eq", 1)] * 101}, [("cond.too_many", "/w/any/100")]),
    ],
)  # fmt: skip
def test_bad_structure(raw: object, expected: list[tuple[str, str]]) -> None:
    read, findings = read_cond(raw, "/w", "s1")
    assert read is None
    assert [(finding.code, finding.at) for finding in findings] == expected
    assert {finding.step for finding in findings} == {"s1"}


def test_at_the_limits() -> None:
    assert check(cond(deep(8)), FORM, "") == ()
    assert check(cond({"any": [leaf("days", "eq", 1)] * 100}), FORM, "") == ()


def test_hostile_width_gives_a_short_answer() -> None:
    parts: tuple[Any, ...] = (None, {"all": []}, {})
    for part in parts:
        _, findings = read_cond({"all": [part] * 100_000}, "", None)
        assert len(findings) < 250


def test_a_tree_built_without_reading_is_bounded_too() -> None:
    tree = Cond(field="days", op="eq", value=1)
    for _ in range(8):
        tree = Cond(negated=tree)
    assert [f.code for f in check(tree, FORM, "")] == ["cond.depth"]
    wide = Cond(all_of=tuple(Cond(field="days", op="eq", value=1) for _ in range(101)))
    [finding] = check(wide, FORM, "/when", "s")
    assert (finding.code, finding.at, finding.step) == ("cond.too_many", "/when/all/100", "s")


@pytest.mark.parametrize(
    ("field", "op", "operand", "code", "end"),
    [
        ("nobody", "eq", 1, "form.unknown_field", "field"),
        ("days", "contains", "1", "cond.bad_op", "op"),
        ("days", "is", 1, "cond.bad_op", "op"),
        ("yes", "eq", True, "cond.bad_op", "op"),
        ("note", "empty", None, "cond.bad_op", "op"),
        ("para", "matches", "a", "cond.bad_op", "op"),
        ("at", "within_last", 1, "cond.bad_op", "op"),
        ("days", "eq", True, "cond.bad_value", "value"),
        ("days", "eq", "three", "cond.bad_value", "value"),
        ("days", "eq", None, "cond.bad_value", "value"),
        ("days", "eq", [1], "cond.bad_value", "value"),
        ("days", "in", 1, "cond.bad_value", "value"),
        ("days", "in", [], "cond.bad_value", "value"),
        ("days", "between", [1, 2, 3], "cond.bad_value", "value"),
        ("days", "between", [3, 1], "cond.bad_value", "value"),
        ("days", "empty", 1, "cond.bad_value", "value"),
        ("why", "eq", 1, "cond.bad_value", "value"),
        ("why", "contains", "", "cond.bad_value", "value"),
        ("day", "eq", "2024-13-01", "cond.bad_value", "value"),
        ("day", "within_last", "P1M", "cond.bad_value", "value"),
        ("day", "within_last", -1, "cond.bad_value", "value"),
        ("day", "within_last", True, "cond.bad_value", "value"),
        ("yes", "is", 1, "cond.bad_value", "value"),
        ("pick", "is", "Odd", "cond.bad_value", "value"),
        ("pick", "in", ["x", "gone"], "cond.bad_value", "value/1"),
        ("many", "has", ["x"], "cond.bad_value", "value"),
        ("why", "matches", "(a", "cond.pattern_unsafe", "value"),
        ("why", "matches", 7, "cond.bad_value", "value"),
        ("lines", "count_has", 1, "cond.bad_op", "op"),
        ("lines", "count_gt", "x", "cond.bad_value", "value"),
        ("lines", "sum_gt", 1, "cond.bad_op", "op"),
        ("lines", "sum_gt(none)", 1, "form.unknown_field", "op"),
        ("lines", "sum_gt(text)", 1, "form.type_mismatch", "op"),
    ],
)
def test_bad_sense(field: str, op: str, operand: object, code: str, end: str) -> None:
    tree = cond({"all": [leaf("days", "eq", 1), leaf(field, op, operand)]})
    [finding] = check(tree, FORM, "/when", "s")
    assert (finding.code, finding.at, finding.step) == (code, f"/when/all/1/{end}", "s")
    # What was never checked is still evaluated without an exception.
    assert evaluate(tree, View({field: "7"})).result in {True, False, None}


def test_good_sense_on_tables_and_none_without_a_form() -> None:
    for op, operand in (("count_gt", 2), ("sum_ge(cost)", "10.5"), ("sum_between(cost)", [1, 2])):
        assert check(cond(leaf("lines", op, operand)), FORM, "") == ()
    [finding] = check(cond(leaf("days", "eq", 1)), None, "")
    assert finding.code == "form.unknown_field"


LEAVES = st.sampled_from(
    [leaf("days", "ge", 2), leaf("yes", "is", True), leaf("why", "ne", "x"), leaf("sum", "empty"),
     leaf("nobody", "eq", 1), {"step": "later", "outcome": "approved"},
     {"initiator": "in_role", "ids": ["boss"]}]
)  # fmt: skip
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda several: {"all": several})
        | st.lists(inner, min_size=1, max_size=3).map(lambda several: {"any": several})
        | inner.map(lambda one: {"not": one})
    ),
    max_leaves=6,
).filter(lambda raw: read_cond(raw, "", None)[0] is not None)
KNOWN = {
    "days": st.sampled_from([None, 1, 2, 3]),
    "yes": st.sampled_from([None, True, False]),
    "why": st.sampled_from([None, "x", "y"]),
    "sum": st.sampled_from([None, "1.00"]),
}
VALUES = st.fixed_dictionaries(KNOWN)


def hide(values: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: UNKNOWN if name in names else value for name, value in values.items()}


@given(st.lists(TREES, min_size=1, max_size=3), VALUES, st.sets(st.sampled_from(list(KNOWN))))
def test_de_morgan(trees: list[Any], values: dict[str, Any], unknown: set[str]) -> None:
    view = View(hide(values, unknown))

    def result(node: Cond) -> bool | None:
        return evaluate(node, view).result

    nodes = tuple(cond(tree) for tree in trees)
    denied = tuple(Cond(negated=node) for node in nodes)
    assert result(Cond(negated=Cond(all_of=nodes))) is result(Cond(any_of=denied))
    assert result(Cond(negated=Cond(any_of=nodes))) is result(Cond(all_of=denied))


@given(TREES, VALUES, st.sets(st.sampled_from(list(KNOWN))))
def test_learning_more_never_changes_an_answer(
    tree: Any, values: dict[str, Any], unknown: set[str]
) -> None:
    before = evaluate(cond(tree), View(hide(values, unknown)))
    after = evaluate(cond(tree), View(values))
    assert before.result is None or before.result is after.result
    assert before.result is not None or set(before.depends_on())


@given(JSON)
def test_no_json_makes_reading_or_checking_raise(raw: object) -> None:
    for given_raw in (raw, {"all": [raw]}, {"field": "a", "op": "eq", "value": raw},
                      {"initiator": "is", "ids": raw}, {"rule": "a", "version": raw}):  # fmt: skip
        read, findings = read_cond(given_raw, "", None)
        assert (read is None) == bool(findings)
        if read is not None:
            check(read, FORM, "")
            assert evaluate(read, View({})).result in {True, False, None}
