"""A person at the screen: finds things by the words of their language."""

from __future__ import annotations

import re

from django.utils import translation
from playwright.sync_api import expect

from tests.browser.hands import UNSETTLED, Keys
from workflow.actions.demonstration import document_of

# What the demo's `expense` asks its initiator for; each test adds its own.
EXPENSE: dict[str, object] = {
    "category": "travel",
    "amount": "12000",
    "spent_on": "2026-02-27",
}


def words_in(language):
    """`word("Approve")` is what a button says in this language; values fill its gaps."""

    def word(text, *, context="", **values):
        with translation.override(language):
            said = translation.pgettext(context, text) if context else translation.gettext(text)
        return said % values if values else said

    return word


class Person:
    """Somebody in front of a tab, with one kind of hand."""

    def __init__(self, page, hand, language, site):
        self.page, self.hand, self.language, self.site = page, hand, language, site
        self.word, self.keys = words_in(language), Keys(page)
        # What is clicked or expected waits too until the page is ready for it.
        page.add_locator_handler(page.locator(UNSETTLED), lambda: None)

    def in_another_tab(self):
        """The same person in a second tab of the same browser."""
        return self.in_tab(self.page.context.new_page())

    def in_tab(self, page):
        """The same person in a tab that is open already."""
        return Person(page, type(self.hand)(page), self.language, self.site)

    # Finding ------------------------------------------------------------------------------

    def button(self, text, **values):
        return self.page.get_by_role("button", name=self.word(text, **values), exact=True)

    def link(self, text, **values):
        return self.page.get_by_role("link", name=self.word(text, **values), exact=True)

    def field(self, flow, field_id):
        """The control of a form's field, by its label."""
        return self.page.get_by_label(self.label(flow, field_id))

    def label(self, flow, field_id):
        [field] = [one for one in document_of(flow)[1]["fields"] if one["id"] == field_id]
        return field["label"][self.language]

    def option(self, flow, field_id, option_id):
        [field] = [one for one in document_of(flow)[1]["fields"] if one["id"] == field_id]
        [option] = [one for one in field["options"] if one["id"] == option_id]
        return option["label"][self.language]

    @property
    def heading(self):
        return self.page.get_by_role("heading", level=1)

    @property
    def timeline(self):
        return self.page.get_by_role("region", name=self.word("Timeline"))

    @property
    def summary(self):
        """What is wrong with a form, above it."""
        return self.page.get_by_role("alert").filter(has_text=self.word("Please check your input"))

    @property
    def comment(self):
        return self.page.get_by_label(self.word("Comment"))

    # Doing ----------------------------------------------------------------------------------

    def open(self, path):
        self.page.goto(self.site + path)

    def sign_in(self, login, password):
        """On the sign-in page, to which the start page leads."""
        self.open("/")
        self.hand.fill(self.page.get_by_label(self.word("Login name")), login)
        self.hand.fill(self.page.get_by_label(self.word("Password"), exact=True), password)
        self.hand.press(self.button("Sign in"))
        expect(self.heading).to_have_text(self.word("Home"))

    def to_form_of(self, name):
        """From anywhere to the form with which a process is started."""
        self.hand.go(self.word("New request"), "n")
        self.hand.press(self.page.get_by_role("link", name=re.compile(f"^{name}")))
        expect(self.heading).to_have_text(name)

    def fill_in(self, flow, values):
        """Fill fields of a form: ids and values as REST takes them."""
        for field_id, value in values.items():
            control = self.field(flow, field_id)
            if value is True:
                self.hand.tick(control)
            elif control.evaluate("node => node.tagName") == "SELECT":
                self.hand.choose(control, self.option(flow, field_id, value))
            else:
                self.hand.fill(control, value)

    def file_expense(self, purpose, **values):
        """Start `expense`; its number."""
        self.to_form_of("Expense")
        self.fill_in("expense", {"purpose": purpose} | EXPENSE | values)
        self.hand.press(self.button("Submit"))
        expect(self.heading).to_have_text(f"Expense: {purpose}")
        return self.number

    @property
    def number(self):
        """The number of the request on the page."""
        line = self.page.get_by_text(re.compile(r"[A-Z]{2,3}-\d{4}-\d{4}")).first.inner_text()
        return re.findall(r"[A-Z]{2,3}-\d{4}-\d{4}", line)[0]

    def open_task(self, title):
        """From anywhere to the task of a request, through the inbox."""
        self.hand.go(self.word("Inbox"), "g i")
        expect(self.heading).to_have_text(self.word("Inbox", context="heading"))
        self.hand.open_row(self.page.get_by_role("link", name=title, exact=True))
        expect(self.heading).to_have_text(title)

    def approve(self, comment=""):
        self._decide("Approve", "a", comment)

    def reject(self, comment=""):
        self._decide("Reject", "r", comment)

    def _decide(self, text, key, comment):
        if comment:
            self.hand.fill(self.comment, comment)
        self.hand.decide(self.button(text), key)

    def sees_message(self, text, **values):
        """A message of the page says this."""
        expect(self.page.get_by_text(self.word(text, **values))).to_be_visible()

    def sees_state(self, text):
        """The chip beside the title says so."""
        expect(self.page.locator(".page-head [data-state]")).to_have_text(self.word(text))

    def sees_event(self, text, *more, **values):
        """One entry of the timeline says this, and besides it each of the further texts."""
        entry = self.timeline.locator("ol > li").filter(has_text=self.word(text, **values))
        expect(entry).to_have_count(1)
        for each in more:
            expect(entry).to_contain_text(each)
        return entry
