"""The tabs of a request: each at an address of its own, with the form still behind it."""

from __future__ import annotations

import pytest

from tests.pages.reading import Page
from tests.workflow.flows import (
    a_document,
    approve,
    approve_step,
    big_and_small,
    publish,
    rows,
    start,
)
from workflow.models import SPAN, Task

pytestmark = pytest.mark.django_db

IN_PLACE = {"HX-Request": "true", "HX-Target": "tab-view"}


@pytest.fixture
def filed(ann, bao, now):
    publish(bao, big_and_small(), now=now)
    return start(ann, now=now)


def test_each_tab_is_a_page_with_the_form_and_the_buttons_behind_it(client_of, filed, bao):
    client = client_of(bao)
    task = filed.pk * SPAN + 1
    for part, words in {
        "picture": "The way of the request",
        "records": "What happened with this request",
        "comments": "No comments yet",
    }.items():
        page = Page(client.get(f"/requests/{filed.pk}/{part}/?task={task}"))
        assert words in page.text
        assert page.heading == filed.title
        assert page.form_with("task_version")["task"] == str(task)
        assert 'id="tab-home" hidden' in page.text
        assert f"/requests/{filed.pk}/?task={task}" in page.links
        inside = Page(client.get(f"/requests/{filed.pk}/{part}/?task={task}", headers=IN_PLACE))
        assert words in inside.text
        assert not inside.headings
        assert "task_version" not in inside.text


def test_callbacks_are_the_initiators_tab(client_of, filed, ann, bao):
    address = f"/requests/{filed.pk}/callbacks/"
    assert address in Page(client_of(ann).get(f"/requests/{filed.pk}/")).links
    assert address not in Page(client_of(bao).get(f"/requests/{filed.pk}/")).text
    inside = client_of(ann).get(address, headers=IN_PLACE).content.decode()
    assert "Nothing was told to other systems" in inside
    assert "<h1" not in inside


def test_comments_are_counted_and_listed_with_decisions(client_of, filed, ann, bao, now):
    approve(bao, now=now, comment="fine <b>")
    page = Page(client_of(ann).get(f"/requests/{filed.pk}/comments/"))
    assert '<span class="nav-count">1</span>' in page.text
    inside = client_of(ann).get(f"/requests/{filed.pk}/comments/", headers=IN_PLACE)
    assert "fine &lt;b&gt;" in inside.content.decode()
    assert "filed the request" not in inside.content.decode()


def test_records_are_filtered_by_person_and_words(client_of, filed, ann, bao, now):
    approve(bao, now=now, comment="Within the budget")
    client, address = client_of(ann), f"/requests/{filed.pk}/records/"
    every = client.get(address, headers=IN_PLACE).content.decode()
    assert "Ann Lee filed the request" in every
    for query in ("who=Bao+Chen", "q=WITHIN+the", "who=Bao+Chen&q=budget"):
        found = client.get(f"{address}?{query}", headers=IN_PLACE).content.decode()
        assert "Within the budget" in found
        assert "filed the request" not in found
    nothing = client.get(f"{address}?q=zebra", headers=IN_PLACE).content.decode()
    assert "Nothing matches the filter" in nothing
    assert client.get(f"{address}?q=%00").status_code == 400


def test_strangers_see_none_of_them_and_looking_writes_nothing(client_of, filed, chi, eve, ann):
    before = rows()
    for part in ("picture", "records", "comments", "callbacks"):
        for person in (chi, eve):
            for headers in ({}, IN_PLACE):
                answer = client_of(person).get(f"/requests/{filed.pk}/{part}/", headers=headers)
                assert answer.status_code == 404
        assert client_of(ann).get(f"/requests/{filed.pk}/{part}/").status_code == 200
    assert rows() == before


def test_the_to_dos_before_and_after_are_a_key_away(client_of, ann, bao, chi, now):
    publish(bao, a_document(approve_step("lead", "chi")), now=now)
    for _each in range(3):
        start(ann, now=now)
    oldest, middle, newest = Task.objects.filter(holder=chi).order_by("id")
    client = client_of(chi)

    def address(task):
        return f"/requests/{task.instance_id}/?task={task.pk}"

    page = Page(client.get(address(middle)))
    assert page.links.index(address(newest)) < page.links.index(address(oldest))
    assert 'data-shortcut="["' in page.text
    assert 'data-shortcut="]"' in page.text
    last = client.get(address(oldest)).content.decode()
    assert 'data-shortcut="["' in last
    assert 'data-shortcut="]"' not in last
    assert 'data-shortcut="["' not in client_of(ann).get(address(middle)).content.decode()
