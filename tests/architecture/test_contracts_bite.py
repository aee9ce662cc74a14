"""The gates close: each fault planted in a copy of the checkout is found by its own contract."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import house

ROOT = Path(__file__).resolve().parents[2]
HEAD = '"""Planted."""\n\nfrom __future__ import annotations\n\n'


@pytest.fixture
def copy(tmp_path):
    """The product's sources and contracts, in a folder of their own."""
    for app in house.APPS:
        shutil.copytree(
            ROOT / app,
            tmp_path / app,
            ignore=shutil.ignore_patterns("__pycache__", "static", "locale"),
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "pyproject.toml").chmod(0o644)
    return tmp_path


def lint(folder: Path) -> dict[str, bool]:
    """Run lint-imports there; each contract's name with whether it was kept."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    found = re.findall(r"^(.+?) (KEPT|BROKEN)", done.stdout, re.MULTILINE)
    assert found, done.stdout + done.stderr
    return {name.strip(): word == "KEPT" for name, word in found}


FAULTS = {
    # name: (file, text to add, contract that must break)
    "an app imports upwards": (
        "rules/apps.py",
        "from workflow import models as planted\n",
        "Apps depend downwards only",
    ),
    "an app imports upwards for typing alone": (
        "flowadmin/directory/permissions.py",
        "import typing\nif typing.TYPE_CHECKING:\n    from workflow import models as planted\n",
        "Apps depend downwards only",
    ),
    "a room of flowadmin imports upwards": (
        "flowadmin/coordination/planted.py",
        "import flowadmin.rest as planted\n",
        "Inside flowadmin",
    ),
    "a stray module": ("workflow/utils.py", "planted = 1\n", "Inside workflow"),
    "a stray room": ("flowadmin/toolbox.py", "planted = 1\n", "Inside flowadmin"),
    "the engine knows Django": (
        "workflow/engine/planted.py",
        "from django.utils import timezone as planted\n",
        "The pure core knows neither Django nor the outside world",
    ),
    "a form reads the clock": (
        "workflow/forms/planted.py",
        "import time as planted\n",
        "The pure core knows neither Django nor the outside world",
    ),
    "the engine asks the models": (
        "workflow/engine/planted.py",
        "import workflow.models as planted\n",
        "The pure core imports nothing impure of ours",
    ),
    "the runtime knows a page": (
        "workflow/runtime/planted.py",
        "import workflow.pages as planted\n",
        "Inside workflow",
    ),
    "a page opens a connection": (
        "workflow/pages/planted.py",
        "from flowadmin import outbound as planted\n",
        "Few open outgoing connections",
    ),
    "the supervisor loads Django": (
        "flowadmin/supervisor.py",
        "import django as planted\n",
        "The supervisor loads neither Django nor the product",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_lint_imports_finds(copy, fault):
    name, text, contract = FAULTS[fault]
    path = copy / name
    before = path.read_text(encoding="utf-8") if path.exists() else HEAD
    path.write_text(f"{before}\n{text}", encoding="utf-8")
    kept = lint(copy)
    assert kept[contract] is False, kept


def test_lint_imports_finds_a_cycle(copy):
    (copy / "workflow/engine/planted_a.py").write_text(
        f"{HEAD}import workflow.engine.planted_b as planted\n"
    )
    (copy / "workflow/engine/planted_b.py").write_text(
        f"{HEAD}import workflow.engine.planted_a as planted\n"
    )
    assert lint(copy)["No cycles anywhere"] is False


WRITES = {
    "a manager creates": "Task.objects.create(state='open')",
    "a queryset updates": "Task.objects.filter(pk=1).update(state='open')",
    "a tenant's queryset deletes": "Task.objects.for_tenant(1).delete()",
    "a row saves itself": "task.save()",
    "a row deletes itself": "task.delete()",
    "SQL text": "cursor.execute('UPDATE flow_task SET state = 1')",
}


@pytest.mark.parametrize("write", WRITES)
def test_a_page_that_writes_is_found(copy, write):
    page = copy / "workflow/pages/planted.py"
    page.write_text(f"{HEAD}\ndef show(task, cursor):\n    {WRITES[write]}\n")
    assert any(one.startswith("workflow/pages/planted.py:") for one in house.outside_writes(copy))


@pytest.mark.parametrize(
    "harmless",
    ["super().save()", "seen.update({1: 2})", "cache.delete('key')", "digest.update(b'')"],
)
def test_what_writes_no_row_is_no_finding(copy, harmless):
    page = copy / "workflow/pages/planted.py"
    page.write_text(f"{HEAD}\ndef show(seen, cache, digest):\n    {harmless}\n")
    assert not any(one.startswith("workflow/pages/planted") for one in house.outside_writes(copy))


def test_other_rules_bite(copy):
    planted = copy / "workflow/pages/helpers.py"
    planted.write_text(
        HEAD + "x = 1\n" * 400 + "def a(q):\n    q.select_for_update()\n" + "y = '\u50ac\u529e'\n"
        "z = '/" + "home/somebody'\n",
        encoding="utf-8",
    )
    name = "workflow/pages/helpers.py"
    assert f"{name}: {len(planted.read_text().splitlines())} lines" in house.long_files(copy)
    assert name in house.drawers(copy)
    assert f"{name}::a" in house.row_locks(copy)
    assert any(one.startswith(f"{name}:") for one in house.untranslated(copy))
    assert any(one.startswith(f"{name}:") for one in house.machine_words(copy))


def test_a_module_without_a_place_is_found(copy):
    (copy / "rules" / "stores").mkdir()
    for name in ("rules/expressions.py", "rules/stores/sql.py", "workflow/toolbox.py"):
        (copy / name).write_text(HEAD)
    found = house.unplaced(copy)
    assert {
        "rules.expressions in pure",
        "rules.stores.sql in stores-independent",
        "workflow.toolbox in workflow-layers",
    } <= set(found)
