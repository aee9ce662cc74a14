"""What clients did, one JSON line before each request and one after each answer.

The judge reads this and the database and nothing else (reliability.md 2.1), so a line is flushed
before the request leaves. ``invoke`` is followed by ``ok`` (it took effect), ``fail`` (it was
refused and must have left nothing), ``broken`` (an answer that must never be given) or
``unknown`` (no answer: nobody can say), and ``unknown`` by another ``invoke`` with the same key.
``repeat`` is the answer to an acknowledged key that was sent once more.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict, dataclass

FINAL = frozenset({"ok", "fail", "broken"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line. ``target`` is the id of a task, or the marker of a new request."""

    key: str
    phase: str
    what: str
    user: str
    target: str
    round: int
    status: int = 0
    body: str = ""
    replayed: bool = False
    at: float = 0.0


class ActionLog:
    """Written by many threads into one file, and kept in memory for the judge."""

    def __init__(self, path):
        self._file = path.open("a", encoding="utf-8")
        self._grown = threading.Condition()
        self._began = time.monotonic()
        self.lines = []

    def write(self, line):
        """Append a line; it is in the file when this returns."""
        stamped = asdict(line) | {"at": round(time.monotonic() - self._began, 4)}
        with self._grown:
            self.lines.append(Line(**stamped))
            self._file.write(json.dumps(stamped, ensure_ascii=False) + "\n")
            self._file.flush()
            self._grown.notify_all()

    def await_line(self, is_it, seconds):
        """Wait for a line that is written from now on and fits; whether it came in time."""
        with self._grown:
            seen = len(self.lines)
            return self._grown.wait_for(lambda: any(map(is_it, self.lines[seen:])), seconds)

    def close(self):
        """Close the file; the lines stay."""
        self._file.close()


def last_words(lines):
    """The last line of each key that says how it ended, and the keys that have none."""
    ended: dict[str, Line] = {}
    open_keys: dict[str, Line] = {}
    for line in lines:
        if line.phase in FINAL:
            ended[line.key] = line
            open_keys.pop(line.key, None)
        elif line.key not in ended:
            open_keys[line.key] = line
    return ended, open_keys
