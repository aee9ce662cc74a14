"""The keys of the designer's words as a TypeScript type, read from the Python that holds them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "workflow/pages").glob("designer_*texts.py"))
TARGET = ROOT / "frontend/src/designer/text-keys.ts"
HEAD = (
    "// Written by script/text-keys from workflow/pages/designer_*texts.py; the words themselves\n"
    "// come with the page.\n"
    '/* eslint max-lines: "off" -- a list that nobody writes by hand */\n'
)


def keys_in(source: str) -> list[str]:
    """The literal keys of every dictionary that a module assigns to a name ending in TEXTS."""
    found: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name, value = node.target.id, node.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
        else:
            continue
        if name.endswith("TEXTS") and isinstance(value, ast.Dict):
            keys = [key.value for key in value.keys if isinstance(key, ast.Constant)]
            found += [key for key in keys if isinstance(key, str)]
    return found


def written() -> str:
    """The file as it has to be now. Raises ValueError for a key that stands twice."""
    keys = [key for path in SOURCES for key in keys_in(path.read_text())]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        message = f"these keys stand twice: {', '.join(sorted(twice))}"
        raise ValueError(message)
    lines = "".join(f'\n  | "{key}"' for key in sorted(keys))
    return f"{HEAD}export type TextKey ={lines};\n"


def main(arguments: list[str]) -> int:
    text = written()
    if arguments == ["--check"]:
        return 0 if TARGET.read_text() == text else 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
