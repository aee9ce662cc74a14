"""`manage.py work` with one thing made unusual: `python -m tests.background.unusual_work HOW`.

`rare`: the scans come once an hour, so that only a hint can make it look. `before`, `inside`,
`after`: it stops for good, saying STOPPED, before it carries out the step that it has claimed,
just before the commit, or just after it.
"""

from __future__ import annotations

import signal
import sys
from dataclasses import replace

import django

STOPPED = "stopped here"


def stop(*_arguments, **_options):
    """Say so, and wait to be killed."""
    sys.stderr.write(f"{STOPPED}\n")
    sys.stderr.flush()
    while True:
        signal.pause()


def make_unusual(how):
    """Change this process before its work begins."""
    from flowadmin import periodic  # noqa: PLC0415 - after Django's set-up
    from workflow.runtime import steps, subscribers  # noqa: PLC0415 - after Django's set-up

    if how == "rare":
        rare = [replace(job, every_seconds=3600) for job in periodic.PERIODIC]
        vars(periodic)["PERIODIC"] = tuple(rare)
    elif how == "before":
        vars(steps)["carry_out"] = stop
    elif how == "inside":
        # Every row is written; subscribers are told of nothing yet.
        vars(subscribers)["publish"] = stop
    elif how == "after":
        carry_out = steps.carry_out
        vars(steps)["carry_out"] = lambda *arguments: stop(carry_out(*arguments))
    else:
        raise SystemExit(2)


def main():
    """Set Django up, change one thing, and be `manage.py work`."""
    django.setup()
    make_unusual(sys.argv[1])
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - see above

    execute_from_command_line(["manage.py", "work"])


if __name__ == "__main__":
    main()
