"""The top level of the project is the one that was asked for (decision 1, requirement D6)."""

from __future__ import annotations

import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

DEMANDED = {
    "manage.py",
    "flowadmin",
    "rules",
    "workflow",
    "notifications",
    "templates",
    "requirements.txt",
}
BESIDE = {
    "frontend", "script", "tests", "docs", "bench", ".ci", "pyproject.toml", "README.md",
    "CHANGELOG.md", "requirements.in", "requirements-*.in", "requirements-*.txt", ".gitignore",
}  # fmt: skip


def ignored() -> set[str]:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    return {line.strip().strip("/") for line in lines if line.strip()} | {".git"}


def test_top_level():
    present = {path.name for path in ROOT.iterdir()}
    assert present >= DEMANDED
    allowed = DEMANDED | BESIDE | ignored()
    strangers = {
        name for name in present if not any(fnmatch.fnmatch(name, one) for one in allowed)
    }
    assert strangers == set()


def test_the_apps_are_packages():
    for app in ("flowadmin", "rules", "workflow", "notifications"):
        assert (ROOT / app / "__init__.py").is_file(), app
