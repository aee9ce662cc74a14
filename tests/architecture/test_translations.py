"""The Chinese catalogue is complete, current and written with one hand (decision 18)."""

from __future__ import annotations

import re
import subprocess
import sys
from io import BytesIO

import pytest
from babel.messages.mofile import write_mo

from tests.architecture import catalogue

KEPT = catalogue.messages(catalogue.kept())
PLACEHOLDER = re.compile(r"%\(\w+\)[sdr]|%[sd%]|\{\w*\}")
TAG = re.compile(r"</?\w+[^>]*>")
CHINESE = re.compile("[\u4e00-\u9fff]")
WORD = re.compile(r"[A-Za-z]{3,}")
# What an English sentence ends with, and what its translation ends with then.
ENDS = {".": "。", "?": "\uff1f", "…": "…", ":": "\uff1a"}
# Marks of half width beside Chinese characters.
WESTERN = re.compile("[\u4e00-\u9fff][,;:!?.()](?!\\w)|[,;:!?()][\u4e00-\u9fff]")

# docs/glossary.md: what is said, and what other products say for the same.
ONE_WORD = {
    "任务": ("工单", "待办项"),
    "申请": ("审批单", "流程实例", "单据"),
    "发起人": ("申请人", "提交人"),
    "审批人": ("审核人", "审批员", "审批者"),
    "抄送": ("知会", "传阅"),
    "拒绝": ("驳回", "不同意"),
    "退回": ("打回", "回退"),
    "改派": ("转派",),
    "催办": ("催一下", "催促"),
    "节点": ("步骤", "环节"),
    "发布": ("上线",),
}


def all_strings(message):
    """The English words of a message, singular and plural."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def translated():
    """Every message with each of its translations."""
    return [
        (context, words, text)
        for (context, words), message in KEPT.items()
        for text in catalogue.strings_of(message)
    ]


def test_nothing_waits_for_its_translation():
    assert len(KEPT) > 500
    assert catalogue.untranslated(catalogue.kept()) == []


def test_every_string_of_the_sources_is_in_the_catalogue_and_no_other():
    found = catalogue.messages(catalogue.gathered())
    assert sorted(words for _, words in found.keys() - KEPT.keys()) == []
    assert sorted(words for _, words in KEPT.keys() - found.keys()) == []
    changed = [key for key in found if all_strings(found[key]) != all_strings(KEPT[key])]
    assert changed == []


def test_gathering_again_changes_nothing():
    text, new, gone = catalogue.refreshed()
    assert (new, gone) == ([], [])
    assert text == catalogue.CATALOGUE.read_text(encoding="utf-8")
    assert "POT-Creation-Date" not in text


def test_the_script_says_so():
    done = subprocess.run(
        [sys.executable, "-m", "tests.architecture.catalogue", "--check"],
        cwd=catalogue.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 to translate" in done.stdout


def test_placeholders_and_tags_are_the_same():
    wrong = []
    for key, message in KEPT.items():
        english = [set(PLACEHOLDER.findall(text)) for text in all_strings(message)]
        for text in catalogue.strings_of(message):
            # The one Chinese form serves both; the English singular may leave the number out.
            if set(PLACEHOLDER.findall(text)) != english[-1]:
                wrong.append(key)
            if sorted(TAG.findall(text)) != sorted(TAG.findall(all_strings(message)[-1])):
                wrong.append(key)
    assert wrong == []


@pytest.mark.parametrize("end", ENDS)
def test_sentences_end_alike(end):
    wrong = [
        (words, text)
        for _, words, text in translated()
        if words.rstrip().endswith(end) != text.endswith(ENDS[end])
        and not (end == "…" and words.endswith(" …"))
    ]
    assert wrong == []


def test_translations_are_chinese():
    wrong = [
        (words, text)
        for _, words, text in translated()
        if WORD.search(PLACEHOLDER.sub("", words)) and not CHINESE.search(text)
    ]
    assert wrong == []


def test_punctuation_is_chinese():
    assert [text for _, _, text in translated() if WESTERN.search(text)] == []


def test_one_word_for_one_thing():
    wrong = [
        (text, f"{other} → {ours}")
        for _, _, text in translated()
        for ours, others in ONE_WORD.items()
        for other in others
        if other in text
    ]
    assert wrong == []


def test_the_catalogue_compiles():
    out = BytesIO()
    write_mo(out, catalogue.kept())
    assert len(out.getvalue()) > 10_000


def test_a_string_that_is_not_there_is_noticed(tmp_path):
    """Without this, an extractor that finds nothing would make the tests above green."""
    for app in (*catalogue.APPS, "templates"):
        (tmp_path / app).mkdir()
    (tmp_path / "rules" / "new.py").write_text(
        'a = _("A new string")\nb = ngettext("%(n)d fox", "%(n)d foxes", 2)\n'
        'c = pgettext_lazy("den", "Home")\n',
        encoding="utf-8",
    )
    (tmp_path / "templates" / "new.html").write_text(
        "{% load i18n %}\n<p>{% translate 'A new page' %}</p>\n  <b>\n"
        "{% blocktranslate trimmed count n=n %}\n  {{ n }} hen\n{% plural %}\n {{ n }} hens\n"
        "{% endblocktranslate %}</b>{{ _('A constant') }}\n",
        encoding="utf-8",
    )
    found = catalogue.messages(catalogue.gathered(tmp_path))
    ours = {
        key
        for key, message in found.items()
        if message.locations[0][0].endswith(("new.py", "new.html"))
    }
    assert ours == {
        (None, "A new string"),
        (None, "%(n)d fox"),
        ("den", "Home"),
        (None, "A new page"),
        (None, "%(n)s hen"),
        (None, "A constant"),
    }
    assert ours - KEPT.keys() >= {(None, "A new string"), (None, "A new page")}
