"""Looking at a page as a whole: accessible, nothing to scroll sideways, and a picture of it."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.hands import settled
from tests.chromium import overhang

SCREENSHOTS = Path(__file__).parent / "screenshots"
WIDTHS = (1280, 390, 320)
HEIGHT = 900
# Our own pages keep the rules of good practice too, Django's administration those of WCAG A, AA.
_WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_OPTIONS: dict[str, dict[str, object]] = {
    "all": {},
    # Django's look-up while typing (Select2) gives its box a name only once something is chosen.
    "wcag": {"runOnly": _WCAG, "rules": {"aria-input-field-name": {"enabled": False}}},
}
# A theme changes colours and nothing else: in the dark axe is asked about them alone.
_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
_RULES = Axe().axe_script
_RUN = """async options => {
    const all = {...options, resultTypes: ["violations"], preload: false};
    const found = await axe.run(document, all);
    const places = rule => JSON.stringify(rule.nodes.map(node => node.target));
    return found.violations.map(rule => `${rule.id} ${places(rule)}`);
}"""
_SETTLE = """async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    for (const animation of document.getAnimations()) animation.finish();
}"""


def look_at(person, name, *, rules="all"):
    """Everything that is wrong with the page, in both themes and at every width.

    ``rules``: all of axe, those of ``wcag``, or none. A page in another language has the same
    structure and colours, so it is enough to ask axe in one; it may well be wider, though.
    Pictures go to `screenshots/`: the wide page in light, the narrow one in dark.
    """
    page, found = person.page, []
    settled(page)
    if rules != "none":
        page.evaluate(_RULES)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        over = overhang(page)
        found += [f"{name} {width}: {over} pixels too wide"] if over else []
        for scheme in ("light", "dark") if width >= 390 else ():
            pictured = (width, scheme) in {(1280, "light"), (390, "dark")}
            if rules == "none" and not pictured:
                continue
            _wear(page, scheme)
            found += [f"{name} {width} {scheme}: {rule}" for rule in _broken(page, rules, scheme)]
            if pictured:
                _picture(page, person.language, f"{name}-{width}-{scheme}")
    page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
    _wear(page, "light")
    return found


def _wear(page, scheme):
    """Light or dark, as the device says, without waiting for colours to fade over."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", scheme)
    page.evaluate(_SETTLE)


def _broken(page, rules, scheme):
    """The rules of axe that the page breaks."""
    if rules == "none":
        return []
    return page.evaluate(_RUN, _COLOURS if scheme == "dark" else _OPTIONS[rules])


def _picture(page, language, name):
    folder = SCREENSHOTS / language
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)
