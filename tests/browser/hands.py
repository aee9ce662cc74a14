"""Two ways to work a page: with the mouse, and with nothing but the keyboard."""

from __future__ import annotations

from playwright.sync_api import expect

MOST_TABS = 250
# The page's script has not begun, or something that was asked for is still on its way. Pages
# without our script, those of Django's administration, are ready as they are.
UNSETTLED = """html:is(
    :not([data-ready]):has(script[src*='/app.']),
    :has(body.is-loading, .htmx-request, .htmx-swapping, .htmx-settling))"""


def settled(page):
    """Wait until the page does what its keys and buttons say: what comes earlier is lost."""
    expect(page.locator(UNSETTLED)).to_have_count(0)


class Keys:
    """The keyboard of a tab; no key is pressed before the page listens."""

    def __init__(self, page):
        self.page = page

    def press(self, key):
        settled(self.page)
        self.page.keyboard.press(key)

    def type(self, text):
        settled(self.page)
        self.page.keyboard.type(text)


class Mouse:
    """Clicks what it sees."""

    def __init__(self, page):
        self.page = page

    def press(self, target):
        """Press a button or follow a link."""
        target.click()

    def fill(self, target, text):
        """Put a text into a field; a day as ISO 8601."""
        target.click()
        target.fill(text)

    def choose(self, target, label):
        """Choose an option by its label."""
        target.select_option(label=label)

    def tick(self, target):
        """Tick a box."""
        target.check()

    def go(self, name, keys):
        """Follow an entry of the main navigation; ``keys`` is its shortcut."""
        del keys
        self.page.locator("nav.side-nav").get_by_role("link", name=name).click()

    def open_row(self, link):
        """Open an entry of a list."""
        link.click()

    def decide(self, button, key):
        """Press a button of the decision bar; ``key`` is the shortcut that leads to it."""
        del key
        button.click()


class Keyboard:
    """Reaches everything with Tab and the shortcuts; the pointer is never used."""

    def __init__(self, page):
        self.page, self.keys = page, Keys(page)

    def reach(self, target):
        """Tab until the focus is there and can be seen."""
        target.wait_for()
        settled(self.page)
        for _ in range(MOST_TABS):
            # Asked at once: between two questions the page itself may move the focus on.
            has_it, is_seen = target.evaluate(
                "node => [node === document.activeElement, node.matches(':focus-visible')]"
            )
            if has_it:
                assert is_seen
                return
            self.page.keyboard.press("Tab")
        message = f"{target} cannot be reached with the keyboard."
        raise AssertionError(message)

    def press(self, target):
        self.reach(target)
        self.page.keyboard.press("Enter")

    def fill(self, target, text):
        self.reach(target)
        if target.get_attribute("type") == "date":
            self._type_day(target, text)
            return
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.type(text)

    def _type_day(self, target, text):
        """A date is typed part by part, in the order of the browser's language."""
        year, month, day = text.split("-")
        keys = self.page.keyboard
        keys.type(month + day + year)
        if target.input_value() != text:
            for _ in range(3):
                keys.press("Shift+Tab")
            self.reach(target)
            keys.type(year)
            keys.press("ArrowRight")
            keys.type(month + day)
        expect(target).to_have_value(text)

    def choose(self, target, label):
        self.reach(target)
        chosen = "node => node.selectedOptions[0]?.label"
        for _ in range(target.locator("option").count()):
            if target.evaluate(chosen) == label:
                return
            self.page.keyboard.press("ArrowDown")
        expect(target.locator("option:checked")).to_have_text(label)

    def tick(self, target):
        self.reach(target)
        if not target.is_checked():
            self.page.keyboard.press("Space")

    def go(self, name, keys):
        del name
        self._stop_typing()
        for key in keys.split():
            self.keys.press(key)

    def open_row(self, link):
        link.wait_for()
        # Down from where one is in the list, which may be the row that one came back to; then up.
        for key in ("j", "k"):
            self._walk(key, link)
        expect(link).to_be_focused()
        self.page.keyboard.press("Enter")

    def _walk(self, key, link):
        has_focus, before = "node => node === document.activeElement", None
        while not link.evaluate(has_focus):
            self.keys.press(key)
            here = self.page.evaluate("document.activeElement.getAttribute('href')")
            if here == before:
                return
            before = here

    def decide(self, button, key):
        button.wait_for()
        self._stop_typing()
        self.keys.press(key)
        expect(button).to_be_focused()
        self.page.keyboard.press("Enter")

    def _stop_typing(self):
        """Leave the field: shortcuts never fire while somebody types."""
        settled(self.page)
        field = "document.activeElement.matches('input, textarea, select')"
        for _ in range(MOST_TABS):
            if not self.page.evaluate(field):
                return
            self.page.keyboard.press("Tab")


HANDS = {"mouse": Mouse, "keyboard": Keyboard}
