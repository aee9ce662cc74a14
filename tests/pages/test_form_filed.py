"""A request with a table and its kin, from the page into the database and on to the approver."""

from __future__ import annotations

import pytest

from tests.forms.test_reading import a_field, a_form
from tests.pages.reading import Page, decide_form
from tests.workflow.flows import a_document, approve_step, everything, publish
from workflow import queries
from workflow.models import Event, Instance

pytestmark = pytest.mark.django_db

FORM = a_form(
    a_field("at", "time"),
    a_field("moment", "timestamp"),
    a_field("many", "multi_choice", options=[
        {"id": "x", "label": "X"}, {"id": "y", "label": "Y"},
    ]),
    a_field("hint", "note", help="Keep the bills."),
    a_field("lines", "table", required=True, columns=[
        a_field("what", required=True), a_field("cost", "amount"), a_field("account"),
    ]),
    a_field("total", "amount", sum_of=["lines.cost"]),
)  # fmt: skip
LEAD = {"default": "read", "set": {"lines.account": "must", "lines.what": "hide"}}
START = {"fields": {"default": "edit", "set": {"lines.account": "hide"}}}


@pytest.fixture
def trip(bao, now):
    return publish(
        bao, a_document(approve_step("lead", "bao", fields=LEAD), key="trip", start=START),
        FORM, now=now,
    )  # fmt: skip


def file_one(client, **cells):
    form = Page(client.get("/start/trip/")).form_with("version")
    values = {"values-at": "09:30", "values-moment": "2026-03-02T09:30", "values-many": ["y", "x"]}
    sent = {**form, **values, "values-lines": ["n1", "n2", "n3"], **cells}
    return client.post("/start/trip/", sent)


CELLS = {
    "values-lines.n1.what": "train", "values-lines.n1.cost": "10.5",
    "values-lines.n3.what": "hotel", "values-lines.n3.cost": "0.25",
}  # fmt: skip


def test_a_table_is_filed_and_goes_on_to_the_approver(client_of, trip, ann, bao):
    page = client_of(ann).get("/start/trip/").content.decode()
    assert page.count("Keep the bills.") == 1
    assert "ACCOUNT" not in page
    assert ".account" not in page
    assert file_one(client_of(ann), **CELLS).status_code == 303
    request = Instance.objects.get()
    values = queries.state_of(request).values
    assert values == {
        "at": "09:30",
        "moment": "2026-03-02T01:30:00Z",  # half past nine by the clocks of the tenant
        "many": ("x", "y"),
        "lines": (
            {"_id": "r0_1", "what": "train", "cost": "10.50"},
            {"_id": "r0_2", "what": "hotel", "cost": "0.25"},
        ),
        "total": "10.75",
    }
    address = f"/requests/{request.pk}/"
    form = decide_form(client_of(bao), address)
    page = client_of(bao).get(address).content.decode()
    assert "10.50" in page
    assert "train" not in page
    refused = client_of(bao).post(address, {
        **form, "act": "approve", "values-lines": ["r0_1", "r0_2"],
        "values-lines.r0_1.account": "4711",
    })  # fmt: skip
    assert refused.status_code == 422
    assert "Row 2, ACCOUNT: This has to be filled in." in refused.content.decode()
    before = everything()
    hidden = client_of(bao).post(address, {
        **form, "act": "approve", "values-lines": ["r0_1", "r0_2"],
        "values-lines.r0_1.account": "4711", "values-lines.r0_2.account": "4712",
        "values-lines.r0_1.what": "plane",
    })  # fmt: skip
    assert hidden.status_code == 422
    removed = client_of(bao).post(address, {
        **form, "act": "approve", "values-lines": ["r0_1"], "values-lines.r0_1.account": "4711",
    })  # fmt: skip
    assert removed.status_code == 422
    assert "You cannot remove rows here." in removed.content.decode()
    assert everything() == before
    done = client_of(bao).post(address, {
        **form, "act": "approve", "values-lines": ["r0_1", "r0_2"],
        "values-lines.r0_1.account": "4711", "values-lines.r0_2.account": "4712",
    })  # fmt: skip
    assert done.status_code == 303
    stored = queries.state_of(Instance.objects.get()).values
    assert stored["lines"] == (
        {"_id": "r0_1", "what": "train", "cost": "10.50", "account": "4711"},
        {"_id": "r0_2", "what": "hotel", "cost": "0.25", "account": "4712"},
    )


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ({}, "This has to be filled in."),
        ({"values-lines.n1.cost": "1"}, "Row 1, WHAT: This has to be filled in."),
        (CELLS | {"values-lines.n1.cost": "much"}, "This should be an amount such as 12.50."),
        (CELLS | {"values-lines.n1.account": "1"}, "There is no such field here."),
        (CELLS | {"values-lines": "r9_9", "values-lines.r9_9.what": "x"},
         "This row does not exist any more."),
        (CELLS | {"values-moment": "soon"}, "This should be a moment"),
        (CELLS | {"values-many": ["z"]}, "This option does not exist."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_nothing_is_filed(client_of, trip, ann, cells, text):
    answer = file_one(client_of(ann), **cells)
    assert answer.status_code == 422
    assert text in answer.content.decode()
    assert not Instance.objects.exists()
    assert not Event.objects.exists()
