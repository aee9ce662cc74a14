"""`script/bench designer`: a key press in the designer with a process of 200 steps.

The built page runs in Chromium without a server: the document comes with it. A figure is what one
key costs the page's thread in script, style and layout, validation included, on the processor's
own clock, which other programs hardly move; painting belongs to the browser. The verdict is over
the median of the rounds: a frame for the keys that people hold or type on, more for an edit that
puts a card into the tree or takes one out, after which the browser styles the whole tree anew.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page, Route

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "flowadmin/static/flowadmin/dist"
CHROMIUM = os.environ.get("FLOWADMIN_CHROMIUM", "/usr/bin/chromium")
ADDRESS = "http://designer.invalid/"
STEPS = 200
TARGETS_MS = {"walk": 16, "type": 16, "duplicate and undo": 60}
WARM_UP, PAUSE_MS = 8, 250
KNOWN = (
    *("users", "roles", "groups", "posts", "departments", "flows", "targets", "calendars"),
    *("secrets", "retries", "rules"),
)


def document(steps: int) -> dict[str, Any]:
    """A process of that many steps: sequences of ten with a choice of two branches in each."""
    made: list[dict[str, Any]] = []
    for block in range(steps // 10):
        inner = [_approval(f"s{block}_{number}") for number in range(9)]
        ways = [
            {
                "id": f"b{block}_1",
                "name": "Large",
                "when": {"field": "amount", "op": "gt", "value": "100"},
                "steps": inner[:4],
            },
            {"id": f"b{block}_2", "name": "Small", "otherwise": True, "steps": inner[4:7]},
        ]
        choice = {"id": f"c{block}", "kind": "choice", "name": "How much", "branches": ways}
        made += [choice, *inner[7:]]
    return {"flowdoc": 1, "key": "bench", "name": "Bench", "steps": made, "form": {"key": "bench"}}


def _approval(step: str) -> dict[str, Any]:
    who = {"any_of": [{"by": "head", "of": "initiator"}]}
    return {"id": step, "kind": "approve", "name": step.upper(), "who": who}


def page_of(steps: int) -> str:
    """The page with everything that the server would have put into it."""
    field = {"id": "amount", "type": "amount", "label": "Amount", "required": True}
    delivered = {
        "id": "1",
        "version": 1,
        "saved_at": "2026-03-02T09:00:00Z",
        "document": document(steps),
        "form": {"formdoc": 1, "fields": [field]},
        "view": {},
        "based_on": 1,
        "may_write": True,
        "may_publish": True,
        "knowledge": {name: [] for name in KNOWN},
        "problem_texts": {"texts": {}, "shorter": {}, "words": {}},
        "addresses": {"icons": "/icons.svg", "box": "/", "process": None},
    }
    return f"""<!doctype html><html lang="en"><head>
<link rel="stylesheet" href="/app.css"><link rel="stylesheet" href="/designer.css">
<script type="module" src="/designer.js"></script></head><body><main id="designer"></main>
<script type="application/json" id="designer-data">{json.dumps(delivered)}</script>
<script type="application/json" id="designer-texts">{{}}</script></body></html>"""


def _serve(route: Route) -> None:
    name = route.request.url.removeprefix(ADDRESS)
    if name and (DIST / name).exists():
        route.fulfill(path=DIST / name)
    elif name:
        route.fulfill(status=404)
    else:
        route.fulfill(body=page_of(STEPS), content_type="text/html")


def measure(page: Page, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each key press, by what was pressed."""
    page.goto(ADDRESS)
    page.wait_for_selector("#designer[data-whole]")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    figures = {}
    page.focus('[data-card="s5_7"]')
    figures["walk"] = _press(page, session, ["ArrowUp", "ArrowDown"], rounds)
    page.focus('[data-card="s5_7"]')
    figures["duplicate and undo"] = _press(page, session, ["Control+d", "Control+z"], rounds)
    page.focus('[data-card="s5_7"]')
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.matches('[data-properties] input')")
    figures["type"] = _press(page, session, [*"abcdefgh", *["Backspace"] * 8], rounds)
    return figures


def _press(page: Page, session: CDPSession, keys: list[str], rounds: int) -> list[float]:
    taken = []
    for number in range(rounds + WARM_UP):
        before = _spent(session)
        page.keyboard.press(keys[number % len(keys)])
        # Long enough for validation, which waits for a pause: it is a part of what a key costs.
        page.wait_for_timeout(PAUSE_MS)
        taken.append(_spent(session) - before)
    return taken[WARM_UP:]


def _spent(session: CDPSession) -> float:
    """Milliseconds of script, style and layout so far."""
    found = session.send("Performance.getMetrics")["metrics"]
    counted = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")
    return float(sum(each["value"] * 1000 for each in found if each["name"] in counted))


def main(arguments: list[str] | None = None) -> int:
    """Run the rounds, print the figures, and fail when a median is over its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.route(f"{ADDRESS}**", _serve)
        figures = measure(page, options.rounds)
        browser.close()
    report: dict[str, Any] = {"steps": STEPS}
    slow = False
    for name, taken in figures.items():
        median = statistics.median(taken)
        worst = statistics.quantiles(taken, n=20)[-1]
        target = TARGETS_MS[name]
        slow |= median >= target
        report[name] = {
            "median_ms": round(median, 2),
            "p95_ms": round(worst, 2),
            "target_ms": target,
        }
        print(f"{name:20} median {median:6.2f} ms   95 % {worst:6.2f} ms   of {target} ms")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
