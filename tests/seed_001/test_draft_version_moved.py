"""P11: a draft of an earlier version is kept, is not restored by itself and starts nothing."""

from __future__ import annotations

import pytest

from tests.seed_001.conftest import TYPED
from tests.workflow import flows
from workflow.models import Draft


@pytest.fixture
def moved_on(application, bao, now):
    """Version 2 of the process is live."""
    return flows.publish(bao, flows.a_document(title="Changed"), now=now)


def test_it_is_kept_and_starts_nothing(api, ann, application, moved_on):
    caller = api(ann)
    read = caller.read(f"application-drafts/{application['id']}/")
    assert (read["restorable"], read["values"]) == (False, TYPED)
    assert (read["based_on"], read["live_version"]) == (1, 2)
    assert read["live_deployment"] == moved_on.digest != read["deployment"]
    before = list(Draft.objects.values())
    path = f"application-drafts/{application['id']}/actions/submit"
    told = caller.refused(path, 409, "draft.deployment_changed", if_match='"1"')
    assert (told["based_on"], told["live_version"]) == (1, 2)
    assert list(Draft.objects.values()) == before


def test_it_goes_on_when_its_owner_takes_it_over(api, ann, application, moved_on, write):
    caller = api(ann)
    body = {"values": {"amount": "1"}, "deployment": application["deployment"]}
    # Saving alone does not make it one of the new version.
    saved = write(caller, "put", "application-drafts", application, body).json()
    assert (saved["version"], saved["restorable"]) == (2, False)
    wrong = {"deployment": "0" * 64}
    refused = write(caller, "patch", "application-drafts", saved, wrong)
    assert (refused.status_code, refused.json()["code"]) == (409, "draft.deployment_changed")
    assert Draft.objects.get().version == 2
    body["deployment"] = moved_on.digest
    saved = write(caller, "put", "application-drafts", saved, body).json()
    assert (saved["restorable"], saved["based_on"]) == (True, 2)
    path = f"application-drafts/{application['id']}/actions/submit"
    assert caller.post(path, if_match='"3"').json()["version"] == 2


def test_going_back_to_its_version_makes_it_whole_again(api, ann, bao, application, moved_on, now):
    flows.publish(bao, flows.a_document(), now=now)
    read = api(ann).read(f"application-drafts/{application['id']}/")
    assert (read["restorable"], read["live_version"]) == (True, 1)


def test_a_design_draft_of_an_earlier_version_may_still_be_published(
    api, bao, published, write, now
):
    caller = api(bao)
    mine = caller.post("design-drafts/", {"flow": "expense"}, key=None).json()
    flows.publish(bao, flows.a_document(title="Changed"), now=now)
    read = caller.read(f"design-drafts/{mine['id']}/")
    assert (read["moved"], read["live"]["published_by"]["login"]) == (True, "bao")
    assert read["changes"] == {"changed": 1}
    answer = caller.post("flows/expense/actions/publish", {"draft": mine["id"]})
    assert answer.json()["version"] == 1
