"""The templates of processes: right in both languages, and driven to the end of their branches."""

from __future__ import annotations

import pytest

from tests.engine.builders import Organisation
from workflow.engine.decision import Definition
from workflow.engine.plan import compile_plan
from workflow.engine.playing import play
from workflow.engine.runnable import not_run_yet
from workflow.engine.scenario import decode_scenarios
from workflow.engine.validation import check_document, people_references
from workflow.forms.reading import decode_form
from workflow.process_templates.documents import NAMES, document_in, template_in

LANGUAGES = ("en", "zh-hans")


@pytest.fixture
def org():
    """A small company: ann works in the shop under bao, above whom is the head office with cy."""
    found = Organisation()
    found.unit("office", head="cy")
    found.unit("shop", parent="office", head="bao")
    for login, unit in (("cy", "office"), ("bao", "shop"), ("ann", "shop"), ("eli", "office")):
        found.add(login, department=unit)
    for post in ("accountant", "cashier", "finance_manager", "buyer", "legal", "seal_keeper",
                 "hr", "it_support", "facilities"):  # fmt: skip
        found.add(post, department="office")
        found.posts[post] = [post]
    return found


def definition_of(name, language):
    document, form = document_in(name, language)
    read, findings = decode_form(form)
    assert findings == ()
    checked = check_document(document, read)
    assert checked.findings == ()
    assert checked.doc is not None
    assert list(not_run_yet(checked.doc)) == []
    return Definition(compile_plan(checked.doc), read)


def texts_in(value):
    """Every text of a document, wherever it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_each_is_right_and_asks_only_for_posts_that_it_names(name, language):
    doc = definition_of(name, language).plan.doc
    template = template_in(name, language)
    asked = people_references(doc)
    assert {each.kind for each in asked} <= {"post"}
    assert {each.code for each in asked} == set(template.posts)
    chinese = any("\u4e00" <= letter <= "\u9fff" for letter in template.title + template.line)
    assert chinese == (language == "zh-hans")
    # No pair of texts was left in the document, and none in the wrong language.
    document, form = document_in(name, language)
    assert "zh-hans" not in str(document)
    letters = "".join(texts_in(document))
    assert any("\u4e00" <= letter <= "\u9fff" for letter in letters) == chinese
    for field in form["fields"]:
        for text in (field["label"], field.get("help", {"en": "x", "zh-hans": "x"})):
            assert all(text[language] for language in LANGUAGES)


def click(who, step="", do="approve", after="", **form):
    return {"as": who, "do": do, "step": step, "after": after, "form": form}


def claimed(who, step, do="complete", **form):
    """Whoever holds a post takes the task out of the pool, and does it."""
    return [click(who, step, "claim"), click(who, step, do, **form)]


LEAVE = {
    "kind": "annual", "first_day": "2026-03-09", "last_day": "2026-03-10", "days": "2",
    "cover": "eli",
}  # fmt: skip
EXPENSE = {
    "purpose": "A fair",
    "items": [
        {"spent_on": "2026-03-01", "category": "travel", "amount": "70.50"},
        {"spent_on": "2026-03-01", "category": "meals", "amount": "29.50"},
    ],
    "receipts": ["f1"],
    "pay_to": "salary",
}
PURCHASE = {
    "subject": "Chairs", "department": "shop", "reason": "Worn out",
    "items": [{"item": "Chair", "quantity": "4", "price": "400"}],
}  # fmt: skip
SEAL = {
    "subject": "Lease", "kind": "letter", "seal": ["company"], "copies": "2", "file": ["f1"],
    "used": "here", "reason": "New shop",
}  # fmt: skip
ONBOARDING = {
    "person": "Fay", "first_day": "2026-03-09", "department": "shop", "manager": "bao",
    "position": "Seller", "employment": "permanent", "equipment": ["laptop", "desk"],
}  # fmt: skip
PAID = [*claimed("accountant", "accounting", "approve"),
        *claimed("cashier", "pay", paid_on="2026-03-04")]  # fmt: skip
BOUGHT = [*claimed("buyer", "order", order_number="7"), click("ann", "receive", "complete")]
STORIES = {
    "short leave": ("leave", LEAVE, [click("bao", "lead")], ["lead", "tell"]),
    "long leave": (
        "leave",
        LEAVE | {"days": "4"},
        [click("bao", "lead"), click("cy", "above")],
        ["lead", "above", "tell"],
    ),
    "small expense": (
        "expense", EXPENSE, [click("bao", "lead"), *PAID], ["lead", "accounting", "pay", "paid"],
    ),
    "large expense": (
        "expense",
        EXPENSE
        | {"items": [{"spent_on": "2026-03-01", "category": "other", "amount": "10000.01"}]},
        [click("bao", "lead"), click("cy", "above"), *PAID],
        ["lead", "above", "accounting", "pay", "paid"],
    ),
    "usual purchase": (
        "purchase",
        PURCHASE,
        [click("finance_manager", "finance"), click("bao", "bearer"), *BOUGHT],
        ["check", "bearer", "finance", "order", "receive"],
    ),
    "large purchase": (
        "purchase",
        PURCHASE
        | {"items": [{"item": "Van", "quantity": "2", "price": "60000"}], "quotes": ["f1"]},
        [
            click("finance_manager", "finance"),
            click("bao", "bearer"),
            click("cy", "top"),
            *BOUGHT,
        ],
        ["check", "bearer", "finance", "top", "order", "receive"],
    ),
    "a letter": (
        "seal", SEAL, [click("bao", "lead"), *claimed("seal_keeper", "stamp")], ["lead", "stamp"],
    ),
    "a contract outside": (
        "seal",
        SEAL | {"kind": "contract", "partner": "B", "used": "outside", "place": "There"},
        [
            click("bao", "lead"),
            *claimed("legal", "legal", "approve"),
            *claimed("seal_keeper", "stamp"),
            click("seal_keeper", "back", "complete", returned_on="2026-03-05"),
        ],
        ["lead", "legal", "stamp", "back"],
    ),
    "a beginner": (
        "onboarding",
        ONBOARDING,
        [
            click("bao", "head"),
            *claimed("it_support", "it", login="fay"),
            *claimed("hr", "contract", employee_number="12"),
            *claimed("facilities", "desk"),
            click("bao", "welcome", "complete", after="P8D"),
        ],
        ["head", "prepare", "contract", "it", "desk", "until", "welcome", "tell"],
    ),
    "a beginner who needs a badge": (
        "onboarding",
        ONBOARDING
        | {"equipment": ["badge"], "employment": "intern", "ends_on": "2026-09-01"},
        [
            click("bao", "head"),
            *claimed("hr", "contract", employee_number="12"),
            *claimed("facilities", "desk"),
            click("bao", "welcome", "complete", after="P8D"),
        ],
        ["head", "prepare", "contract", "desk", "until", "welcome", "tell"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("story", STORIES)
def test_each_goes_to_the_end_of_its_branches(org, story, language):
    name, form, clicks, path = STORIES[story]
    definition = definition_of(name, language)
    told = {
        "name": story,
        "initiator": "ann",
        "at": "2026-03-02T09:00:00Z",
        "form": form,
        "clicks": clicks,
        "expect": {"path": path, "ends": "approved"},
    }
    decoded = decode_scenarios([told], definition.plan)
    assert decoded.findings == ()
    [scenario] = decoded.scenarios
    outcome = play(definition, scenario, lambda _moment: org)
    assert outcome.difference is None
    assert outcome.path == tuple(path)
