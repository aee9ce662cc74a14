"""The designer's words: each key that TypeScript may ask for is there, and no other."""

from __future__ import annotations

import re

import pytest

from tests.frontend import text_keys
from workflow.pages.designer_texts import designer_texts

SOURCE = text_keys.ROOT / "workflow/pages/designer_texts.py"


def test_the_type_of_the_keys_is_up_to_date():
    assert text_keys.TARGET.read_text() == text_keys.written(), "run script/text-keys"


def test_what_is_delivered_has_every_key():
    typed = set(re.findall(r'\| "(.+)"', text_keys.TARGET.read_text()))
    assert set(designer_texts()) == typed


@pytest.mark.parametrize("key", ["save", "publish"])
def test_a_key_that_python_loses_leaves_the_type(key):
    source = SOURCE.read_text()
    assert key in text_keys.keys_in(source)
    without = source.replace(f'"{key}":', '"other.key":', 1)
    assert key not in text_keys.keys_in(without)
