"""P50: version 2 is published while version 1 runs; version 1 goes on as it began."""

from __future__ import annotations

from copy import deepcopy
from uuid import uuid4

from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.actions import issue_token
from flowadmin.directory.models import User
from tests.browser.people import EXPENSE
from workflow.actions.demonstration import document_of
from workflow.models import Instance, Version


def version_two():
    """Without the step of finance; the first step has another name, the form another field."""
    document, form = (deepcopy(each) for each in document_of("expense"))
    document["steps"] = document["steps"][:1]
    document["steps"][0]["name"] = "Quick look"
    document["steps"][0].pop("fields")
    document["start"] = {}
    form["fields"] = [one for one in form["fields"] if one["id"] != "cost_center"]
    form["fields"].append({"id": "project", "type": "text", "label": "Project", "required": True})
    return {"document": document, "form": form, "note": "Shorter"}


def publish(tab):
    """Through REST, as a script would."""
    token = issue_token(User.objects.get(login="admin"), now=clock.now(), days=1, label="test")
    answer = tab.page.context.request.post(
        f"{tab.site}/api/v1/flows/expense/actions/publish",
        headers={"Authorization": f"Token {token}", "Idempotency-Key": str(uuid4())},
        data=version_two(),
    )
    assert answer.status == 201, answer.text()
    assert answer.json()["version"] == 2


def test_running_requests_stay_on_the_version_they_began_with(sit_down):
    ann, bao, dan = sit_down("ann"), sit_down("bao"), sit_down("dan")
    ann.file_expense("The old way")
    publish(bao)
    old = Instance.objects.get(title="Expense: The old way")
    assert [version.number for version in Version.objects.filter(definition=old.definition)] == [
        1,
        2,
    ]

    ann.to_form_of("Expense")
    ann.fill_in("expense", {"purpose": "The new way"} | EXPENSE)
    ann.page.get_by_label("Project").fill("Lighthouse")
    ann.button("Submit").click()
    expect(ann.heading).to_have_text("Expense: The new way")
    expect(ann.page.get_by_text("Expense v2")).to_be_visible()

    bao.open_task("Expense: The old way")
    expect(bao.page.get_by_text("Expense v1")).to_be_visible()
    expect(bao.page.get_by_text("Lighthouse")).to_have_count(0)
    bao.approve()
    bao.sees_message("You approved “%(title)s”.", title="Expense: The old way")
    bao.open_task("Expense: The new way")
    expect(bao.page.get_by_text("Lighthouse")).to_be_visible()
    bao.approve()
    bao.sees_message("You approved “%(title)s”.", title="Expense: The new way")

    ann.page.reload()
    ann.sees_state("Approved")
    ann.sees_event("%(person)s approved “%(step)s”", person="Bao Chen", step="Quick look")

    ann.open(f"/requests/{old.pk}/")
    ann.sees_state("In progress")
    ann.sees_event(
        "%(step)s: the branch “%(branch)s” was taken", step="How much", branch="Above 10,000"
    )
    dan.open_task("Expense: The old way")
    dan.fill_in("expense", {"cost_center": "4711"})
    dan.approve()
    dan.sees_message("You approved “%(title)s”.", title="Expense: The old way")
    ann.page.reload()
    ann.sees_state("Approved")
    ann.sees_event("%(person)s approved “%(step)s”", person="Dan Liu", step="Head of finance")
    assert old.version.number == 1


def test_a_form_that_was_open_while_the_process_changed_is_shown_anew(sit_down):
    ann = sit_down("ann", expected=["409", "422"])
    ann.to_form_of("Expense")
    ann.fill_in("expense", {"purpose": "Between two versions"} | EXPENSE)
    publish(ann)
    ann.button("Submit").click()
    ann.sees_message("The process was published anew while you filled this in")
    assert not Instance.objects.filter(title="Expense: Between two versions").exists()
    expect(ann.field("expense", "purpose")).to_have_value("Between two versions")
    ann.page.get_by_label("Project").fill("Lighthouse")
    ann.button("Submit").click()
    expect(ann.heading).to_have_text("Expense: Between two versions")
    assert Instance.objects.get(title="Expense: Between two versions").version.number == 2
