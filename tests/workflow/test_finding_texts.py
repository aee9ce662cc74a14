"""Every code of the forms and the engine has a sentence that its arguments fill."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import workflow
from workflow.engine.runnable import not_run_yet
from workflow.engine.validation import check_document
from workflow.forms.findings import Finding, child
from workflow.forms.reading import decode_form
from workflow.forms.rights import effective
from workflow.forms.values import clean
from workflow.wording.finding_texts import OF_VALUES, SHORTER, SHORTEST, TEXTS
from workflow.wording.findings import sentence, worded
from workflow.wording.incidents import GOES_ON, INCIDENTS, incident_text
from workflow.wording.rejections import REJECTIONS, rejection_text

ROOT = Path(workflow.__file__).parent
CODE = re.compile(r"[a-z_]+\.[a-z_]+")
# Constants that look like codes and are none: placeholders of a title, beginnings of codes.
NO_CODES = {"initiator.name", "flow.name", "deadline.target", "decide.weights", "reject.target"}
REJECTING = {"NotAllowed", "NotOpen", "VersionMoved", "Invalid"}
# Keywords of the makers of findings that are not arguments of the sentence.
NO_ARGUMENTS = {"args", "findings", "level", "step"}


def trees():
    for room in ("forms", "engine"):
        for path in sorted((ROOT / room).rglob("*.py")):
            yield path, ast.parse(path.read_text())


def constants():
    """Every constant in the sources that has the shape of a code."""
    return {
        node.value
        for _, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and CODE.fullmatch(node.value)
    }


def calls():
    """(name of the function, code, the call) for every call that is given a code."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            codes = [
                each.value
                for each in node.args
                if isinstance(each, ast.Constant)
                and isinstance(each.value, str)
                and CODE.fullmatch(each.value)
            ]
            if codes:
                name = ast.unparse(node.func).rpartition(".")[2]
                yield pytest.param(name, codes[0], node, id=f"{path.name}:{node.lineno}")


def argument_names(call):
    """The names of the arguments that a call gives; None when they are made elsewhere."""
    noted = ast.unparse(call.func).endswith(".note") and len(call.args) == 3
    if noted and not isinstance(call.args[2], ast.Dict):
        return None
    literals = [each for each in call.args if isinstance(each, ast.Dict)]
    literals += [each.value for each in call.keywords if isinstance(each.value, ast.Dict)]
    if any(each.arg is None for each in call.keywords):
        return None
    if any(each.arg == "args" and not isinstance(each.value, ast.Dict) for each in call.keywords):
        return None
    names = {each.arg for each in call.keywords} - NO_ARGUMENTS
    for literal in literals:
        if any(not isinstance(key, ast.Constant) for key in literal.keys):
            return None
        names |= {key.value for key in literal.keys}
    return names


def test_every_code_has_a_text():
    assert len(constants()) > 100
    told = TEXTS.keys() | REJECTIONS.keys() | INCIDENTS.keys()
    assert constants() - told - NO_CODES == set()


def test_every_refusal_of_the_engine_has_a_text():
    refusing = {case.values[1] for case in calls() if case.values[0] in REJECTING}
    assert "task.not_open" in refusing
    assert refusing - REJECTIONS.keys() == set()


def named_codes(tree):
    """The constants of a module that are codes, by name."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and CODE.fullmatch(node.value.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def given_codes(names):
    """Codes that calls of these functions are given, literally or by the name of a constant.

    A code that comes in as a parameter may be any of the module's own constants.
    """
    for _, tree in trees():
        known = named_codes(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
                keywords = [each.value for each in node.keywords if each.arg == "code"]
                for value in [*node.args[:1], *keywords]:
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        yield value.value
                    elif isinstance(value, ast.Name):
                        yield from [known[value.id]] if value.id in known else known.values()


def test_refusals_named_by_a_constant_have_a_text_too():
    refused = set(given_codes(REJECTING | {"refused"}))
    assert {"people.nobody", "person.in_chain"} <= refused
    assert refused - REJECTIONS.keys() == set()


def test_every_incident_says_what_a_manager_can_do():
    held = set(given_codes({"InstanceHeld"}))
    assert {"people.nobody", "goto.limit", "delay.no_value", "deadline.bad_value"} <= held
    assert held - INCIDENTS.keys() == set()
    assert INCIDENTS.keys() >= GOES_ON
    for code in held:
        # What happened, and behind it what to do.
        assert incident_text(code).count(".") >= 2, code


def test_every_refusal_is_one_sentence():
    for code in REJECTIONS:
        text = rejection_text(code)
        assert text.endswith("."), code
        assert re.sub(r"%\([a-z]+\)s", "", text).count("%") == 0, code
    assert rejection_text("brand.new") == "brand.new"


def known_calls():
    return [
        pytest.param(maker, code, names, id=f"{code}-{case.id}")
        for case in calls()
        for maker, code, call in [case.values]
        for names in [argument_names(call)]
        if maker not in REJECTING and names is not None
    ]


def test_most_arguments_are_known_from_the_sources():
    assert len(known_calls()) > 120


@pytest.mark.parametrize(("maker", "code", "names"), known_calls())
def test_the_arguments_fill_the_text(maker, code, names):
    text = sentence(Finding(code, "/steps/0", args=dict.fromkeys(names, "x")))
    assert text != code
    assert "%(" not in text
    if maker in {"Fault", "_refuse"}:
        # Said of a value: its field is added, and then it stands at the field.
        args = {**dict.fromkeys(names, "x"), "field": "days"}
        assert sentence(Finding(code, child("", "days"), args=args)) != code


def test_every_text_is_one_sentence_and_its_placeholders_are_whole():
    for texts in (TEXTS, OF_VALUES, SHORTER, SHORTEST):
        for code, text in texts.items():
            assert str(text).endswith("."), code
            bare = re.sub(r"%\([a-z]+\)s", "", str(text))
            assert "%" not in bare, code


BAD = {
    "flowdoc": 1,
    "key": "Leave!",
    "name": "",
    "title": "{nobody} {form.ghost}",
    "summary": ["ghost"],
    "colour": "red",
    "managers": {"any_of": [{"by": "initiator"}]},
    "steps": [
        {"id": "start", "kind": "approve", "name": "A", "who": {"any_of": []}, "verdict": "x"},
        {"id": "two", "kind": "flying", "name": "B"},
        {
            "id": "two",
            "kind": "approve",
            "name": "C",
            "who": {"any_of": [{"by": "user", "ids": ["a"]}]},
            "decide": {"mode": "vote", "need": {"num": 3, "den": 2}},
            "reject": {"then": {"do": "back", "to": {"step": "ghost"}}},
            "deadline": {"after": -5},
        },
        {
            "id": "size",
            "kind": "choice",
            "name": 5,
            "branches": [
                {"id": "a", "name": "A", "when": {"field": "days", "op": "contains", "value": 1}},
                {"id": "b", "name": "B", "when": {"field": "ghost", "op": "eq", "value": "1"}},
            ],
        },
        {"id": "web", "kind": "http", "name": "W", "method": "GET", "url": "http://127.0.0.1/"},
        {"id": "end_it", "kind": "finish", "name": "E", "result": "perhaps"},
        {"id": "more", "kind": "goto", "name": "M", "to": "nowhere"},
    ],
}


def test_a_document_full_of_problems_is_told_in_words():
    form, _ = decode_form(
        {"formdoc": 1, "fields": [{"id": "days", "type": "integer", "label": "Days"}]}
    )
    told = worded(check_document(BAD, form).findings)
    assert len({each["code"] for each in told}) > 12
    for each in told:
        assert each["message"] != each["code"], each
        assert "%(" not in each["message"]


def test_what_is_not_run_yet_is_told_in_words():
    reversal = {"reversal": {"on": True, "flow": "undo"}}
    document = {"flowdoc": 1, "key": "k", "name": "N", "policy": reversal, "steps": []}
    checked = check_document(document, None)
    assert checked.doc is not None
    [told] = worded(not_run_yet(checked.doc))
    assert told["message"] == "This version does not offer “reversal” yet; it is left out."


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ({"type": "integer"}, "two", "This should be a whole number."),
        ({"type": "integer"}, True, "This should be a whole number."),
        ({"type": "date"}, "tomorrow", "This should be a date such as 2026-03-02."),
        ({"type": "amount"}, "1.234", "Too many decimals: at most 2."),
        ({"type": "text", "required": True}, " ", "This has to be filled in."),
        (
            {"type": "text", "limits": {"max_length": 3}},
            "four",
            "This is too long: 4 characters of at most 3.",
        ),
        ({"type": "integer", "limits": {"min": "1"}}, 0, "This has to be at least 1."),
        ({"type": "bool"}, "yes", "This should be yes or no."),
    ],
)
def test_what_somebody_filled_in_is_told_without_ids(field, value, text):
    form, findings = decode_form({"formdoc": 1, "fields": [{"id": "f", "label": "F", **field}]})
    assert form is not None, findings
    (finding,) = clean(form, {"f": value}, effective("edit", {}, form), {}).findings
    assert sentence(finding) == text
    assert worded([finding])[0]["message"] == text


def test_an_unknown_field_is_told_alike_for_values_and_documents():
    assert sentence(Finding("form.unknown_field", "/x", args={"field": "x"})) == (
        "There is no such field here."
    )
    assert sentence(Finding("form.unknown_field", "/steps/0", args={"field": "x"})) == (
        "The form has no field “x”."
    )
    assert sentence(Finding("form.unknown_field", "/x")) == "There is no such field here."


def test_a_code_without_a_text_is_shown_and_not_hidden():
    assert sentence(Finding("brand.new", "/x")) == "brand.new"
    assert sentence(Finding("doc.unknown_key", "/x")) == "doc.unknown_key"
