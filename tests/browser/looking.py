"""Looking at a page as a whole: accessible, nothing to scroll sideways, and a picture of it."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

from tests.chromium import overhang

SCREENSHOTS = Path(__file__).parent / "screenshots"
WIDE, NARROW, NARROWEST = 1280, 390, 320
_AXE = Axe()
# Our own pages keep the rules of good practice too; Django's administration those of WCAG.
_WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}


def look_at(person, name, *, administration=False):
    """Everything that is wrong with the page, in both themes and at every width.

    Pictures go to `screenshots/`: the wide page in light, the narrow one in dark.
    """
    page, found = person.page, []
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.wait_for_selector(f"html[data-bs-theme={scheme}]")
            found += [
                f"{name} {width} {scheme}: {rule['id']} {[one['target'] for one in rule['nodes']]}"
                for rule in _violations(page, administration=administration)
            ]
            if (width, scheme) in {(WIDE, "light"), (NARROW, "dark")}:
                _picture(page, person.language, f"{name}-{width}-{scheme}")
        found += _wider(page, name, width)
    page.set_viewport_size({"width": NARROWEST, "height": 900})
    found += _wider(page, name, NARROWEST)
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.emulate_media(color_scheme="light")
    return found


def _violations(page, *, administration):
    return _AXE.run(page, options=_WCAG if administration else None).response["violations"]


def _wider(page, name, width):
    over = overhang(page)
    return [f"{name} {width}: {over} pixels too wide"] if over else []


def _picture(page, language, name):
    folder = SCREENSHOTS / language
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)
