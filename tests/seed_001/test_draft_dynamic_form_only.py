"""P10: application drafts are for processes with a form of their own."""

from __future__ import annotations

import pytest

from tests.api.caller import nothing_written
from tests.workflow import flows


@pytest.fixture
def formless(bao, now):
    """A process that a business page starts through REST; that page keeps its own drafts."""
    document = flows.a_document(key="visit")
    del document["form"]
    return flows.publish(bao, document, None, now=now)


def test_a_process_without_a_form_keeps_none(api, ann, formless):
    with nothing_written():
        body = {"flow": formless.definition.key, "values": {}}
        answer = api(ann).post("application-drafts/", body, key=None)
    assert (answer.status_code, answer.json()["code"]) == (422, "draft.form_not_dynamic")


def test_its_page_offers_no_saving(client_of, ann, formless, published):
    without = client_of(ann).get(f"/start/{formless.definition.key}/").content.decode()
    offered = client_of(ann).get(f"/start/{published.definition.key}/").content.decode()
    assert 'value="save"' not in without
    assert 'value="save"' in offered
