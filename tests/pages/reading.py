"""What tests read off a page: its one heading, its forms, its links."""

from __future__ import annotations

import re
from html.parser import HTMLParser

HTMX = {"HX-Request": "true"}
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|\shx-on")


class Page(HTMLParser):
    """The parts of a page; whatever a strict policy would block is an error at once."""

    def __init__(self, response):
        super().__init__()
        self.text = response.content.decode()
        self.headings: list[str] = []
        self.links: list[str | None] = []
        self.forms: list[dict] = []
        self.ids: list[str | None] = []
        self.buttons: list[tuple[str | None, str]] = []
        self._heading = False
        assert not INLINE.search(self.text)
        self.feed(self.text)
        assert len(self.ids) == len(set(self.ids)), "an id stands twice"

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "h1":
            self._heading = True
            self.headings.append("")
        elif tag == "a":
            self.links.append(found.get("href"))
        elif tag == "form":
            self.forms.append({"": found, "fields": {}})
        if tag == "button":
            self.buttons.append((found.get("name"), found.get("value") or ""))
        if tag in {"input", "textarea", "select", "button"} and found.get("name") and self.forms:
            self.forms[-1]["fields"].setdefault(found["name"], found)

    def handle_endtag(self, tag):
        if tag == "h1":
            self._heading = False

    def handle_data(self, data):
        if self._heading:
            self.headings[-1] += data

    @property
    def heading(self):
        [only] = self.headings
        return only.strip()

    def form_with(self, name):
        """What the form that has this field would send of its hidden fields."""
        [form] = [form for form in self.forms if name in form["fields"]]
        fields = form["fields"].values()
        return {each["name"]: each["value"] for each in fields if each.get("type") == "hidden"}


def decide_form(client, address):
    """The hidden fields of the form with which a task is decided."""
    return Page(client.get(address)).form_with("task_version")
