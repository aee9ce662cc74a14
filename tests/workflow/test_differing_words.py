"""A title with gaps, told to people: in words and never in the codes of its placeholders."""

from __future__ import annotations

import pytest
from django.utils import translation

from workflow.engine.differing import differences
from workflow.wording.differing import tell_differences


def a_flow(title):
    return {"flowdoc": 1, "key": "trip", "name": "Trip", "title": title, "steps": []}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_gaps_of_a_title_are_told_in_words(language):
    old, new = a_flow("{flow.name}: {form.city}"), a_flow("{initiator.name} {number} {today} {x}")
    with translation.override(language):
        [told] = tell_differences(differences(old, new, None, None))
    text = " ".join((told.text, *told.details))
    assert "{flow" not in text
    assert "{form" not in text
    assert "{initiator" not in text
    assert "city" in text
    assert "{x}" in text  # no placeholder, and shown as it was written
    if language == "en":
        assert "[name of the process]: [field city] → [name of the initiator]" in text
