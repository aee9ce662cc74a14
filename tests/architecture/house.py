"""The rules of the house that no linter knows, as functions from a checkout to what breaks them.

Each takes the root of a checkout, so that the tests can also try it on a copy with a fault in it.
"""

from __future__ import annotations

import ast
import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPS = ("flowadmin", "rules", "workflow", "notifications")
LONGEST = 400
DRAWERS = {"utils", "util", "helpers", "helper", "common", "core", "services", "managers", "misc"}

# Where rows may be written. An entrance that writes by itself would bypass history and access.
WRITERS = re.compile(
    r"""
      workflow/(runtime|actions)/ | workflow/statements\.py
    | rules/(actions|stores)/
    | notifications/(actions/|subscriptions\.py|legacy/)
    | flowadmin/directory/(actions|actions/.*|demo|pages|pages/.*|admin|middleware)(\.py)?$
    | flowadmin/directory/models/                    # create_user, demanded by Django
    | flowadmin/(rest/idempotency\.py|coordination/|files/|sqlite/)
    | .*/management/commands/ | .*/migrations/
    """,
    re.VERBOSE,
)
MANAGER_WORDS = {"objects", "_base_manager", "_default_manager"}
QUERYSET_WORDS = {"filter", "exclude", "all", "for_tenant", "using", "select_related", "order_by"}
ROW_WRITES = {"create", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}
SQL_WRITE = re.compile(
    r"\s*(INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|REPLACE\s+INTO)\b", re.IGNORECASE
)

PURE_WHEN_THERE = (
    "workflow.engine",
    "workflow.forms",
    "workflow.importing",
    "workflow.process_templates",
    "rules.expressions",
    "rules.records",
    "rules.reconciliation",
    "rules.stores.contract",
    "notifications.backoff",
    "notifications.payloads",
    "notifications.signatures",
    "flowadmin.coordination.contract",
    "flowadmin.coordination.domains",
    "flowadmin.coordination.freshness",
)
# contract id → the modules it must name as soon as they exist
CONTRACT_WHEN_THERE = {
    "one-writer": ("workflow.runtime.event_log", "workflow.runtime.projection"),
    "outbound": ("flowadmin.outbound",),
    "delivery": ("notifications.delivery",),
    "stores-independent": ("rules.stores.sql", "rules.stores.redis", "rules.stores.memory"),
}

NOT_OURS = {
    ".git", ".venv", "var", "node_modules", "dist", "__pycache__", "screenshots", "results",
    ".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache", ".hypothesis",
}  # fmt: skip
TEXT = {
    ".py", ".html", ".txt", ".ts", ".tsx", ".mjs", ".css", ".svg", ".json", ".toml", ".md", ".in",
    ".yml", ".yaml", ".sql", ".po", "",
}  # fmt: skip


def product_files(root: Path) -> Iterator[Path]:
    """Every Python file of the product: no tests, no migrations."""
    for app in APPS:
        for path in sorted((root / app).rglob("*.py")):
            if "migrations" not in path.parts and "__pycache__" not in path.parts:
                yield path


def text_files(root: Path) -> Iterator[Path]:
    """Every text file that is, or would be, committed."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - NOT_OURS)
        for name in sorted(names):
            path = root / os.path.relpath(folder, root) / name
            if path.suffix in TEXT and not path.is_symlink():
                yield path


def named(root: Path, path: Path) -> str:
    """The path as the house speaks of it."""
    return path.relative_to(root).as_posix()


def long_files(root: Path) -> list[str]:
    """Files of more than 400 lines: a room that should be two."""
    found = []
    for path in product_files(root):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST:
            found.append(f"{named(root, path)}: {lines} lines")
    return found


def drawers(root: Path) -> list[str]:
    """Modules and folders whose name says nothing about what is in them."""
    return [
        named(root, path)
        for path in product_files(root)
        if {part.removesuffix(".py").strip("_") for part in path.relative_to(root).parts} & DRAWERS
    ]


def outside_writes(root: Path) -> list[str]:
    """Writes of rows, by ORM or SQL text, outside the rooms that may write."""
    found = []
    for path in product_files(root):
        if WRITERS.match(named(root, path)):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [
            f"{named(root, path)}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.expr) and writes_rows(node)
        ]
    return found


def writes_rows(node: ast.expr) -> bool:
    """Whether an expression writes rows, as far as its text tells."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return bool(SQL_WRITE.match(node.value))
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    verb, receiver = node.func.attr, node.func.value
    words = {one.attr for one in ast.walk(receiver) if isinstance(one, ast.Attribute)}
    if verb in ROW_WRITES:
        return bool(words & (MANAGER_WORDS | QUERYSET_WORDS))
    if verb in {"update", "delete"} and words & (MANAGER_WORDS | QUERYSET_WORDS):
        return True
    if verb == "delete":
        return isinstance(receiver, ast.Name) and not node.args
    return verb in {"save", "asave"} and not is_super(receiver)


def is_super(node: ast.AST) -> bool:
    """Whether it is `super()`: an override that passes on is no writer."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super"


def row_locks(root: Path) -> list[str]:
    """The functions that use select_for_update, which does nothing on SQLite (reliability 0.3)."""
    found = []
    for path in product_files(root):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == "select_for_update":
                inside = [
                    one.name
                    for one in functions
                    if one.lineno <= node.lineno <= (one.end_lineno or 0)
                ]
                found.append(f"{named(root, path)}::{inside[-1] if inside else '(module)'}")
    return sorted(set(found))


# In two pieces each, so that this file does not say what it looks for.
PLACES = re.compile(
    r"(?<![\w./~$}-])/(?:"
    + "|".join(("wor" + "k", "roo" + "t", "hom" + "e", "User" + "s"))
    + r")/[\w.-]+"
)
HOSTS = re.compile("|".join(("registry\\.npm" + "js", "py" + "pi\\.org", "pythonhost" + "ed")))
CHINESE = re.compile("[\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]")
MAY_SPEAK_CHINESE = re.compile(
    r"(frontend/)?tests/|docs/|README|.*\.po$|.*/demo(/|\.py$)|workflow/process_templates/"
)


def machine_words(root: Path) -> list[str]:
    """Paths of one machine and names of package hosts."""
    return [
        f"{named(root, path)}:{number}: {hit[0]}"
        for path in text_files(root)
        for number, line in enumerate(lines_of(path), 1)
        if (hit := PLACES.search(line) or HOSTS.search(line))
    ]


def untranslated(root: Path) -> list[str]:
    """Chinese outside the catalogue, the demo data, the docs and the tests (decision 18)."""
    return [
        f"{named(root, path)}:{number}: {hit[0]}"
        for path in text_files(root)
        if not MAY_SPEAK_CHINESE.match(named(root, path))
        for number, line in enumerate(lines_of(path), 1)
        if (hit := CHINESE.search(line))
    ]


def lines_of(path: Path) -> list[str]:
    """The lines of a text file; a file that is not text has none."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


# The import contracts ------------------------------------------------------------------------


def contracts(root: Path) -> dict[str, dict[str, Any]]:
    """The import contracts of pyproject.toml by their id."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return {one["id"]: one for one in settings["tool"]["importlinter"]["contracts"]}


def exists(root: Path, module: str) -> bool:
    """Whether a dotted name is a module or a package of the checkout."""
    path = root.joinpath(*module.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def children(root: Path, app: str) -> set[str]:
    """The modules and packages directly inside an app."""
    found = {path.stem for path in (root / app).glob("*.py")} - {"__init__"}
    return found | {path.parent.name for path in (root / app).glob("*/__init__.py")}


def layers(contract: dict[str, Any]) -> set[str]:
    """Every module that the layers of a contract name."""
    return set(re.findall(r"[\w.]+", " ".join(contract["layers"])))


def unplaced(root: Path) -> list[str]:
    """Modules without a place in the contracts, and pure ones that are not held to it."""
    known = contracts(root)
    found = []
    for app in APPS:
        inside = known[f"{app}-layers"]
        if not inside.get("exhaustive"):
            found.append(f"{app}-layers is not exhaustive")
        placed = layers(inside) | set(inside.get("exhaustive_ignores", ()))
        found += [f"{app}.{name} in {app}-layers" for name in sorted(children(root, app) - placed)]
    rooms = {f"flowadmin.{name}" for name in children(root, "flowadmin")} - {"flowadmin.settings"}
    found += [f"{name} in apps" for name in sorted(rooms - layers(known["apps"]))]
    for name in PURE_WHEN_THERE:
        if exists(root, name):
            found += [
                f"{name} in {wanted}"
                for wanted in ("pure", "pure-internal")
                if name not in known[wanted]["source_modules"]
            ]
    for wanted, names in CONTRACT_WHEN_THERE.items():
        held = {
            one
            for key in ("protected_modules", "modules")
            for one in known.get(wanted, {}).get(key, ())
        }
        found += [
            f"{name} in {wanted}" for name in names if exists(root, name) and name not in held
        ]
    return found
