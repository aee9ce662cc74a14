#!/usr/bin/env python
"""FlowAdmin's command line: every management command starts here."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowadmin.settings")
    from flowadmin.management.entrance import execute  # noqa: PLC0415

    execute(sys.argv)


if __name__ == "__main__":
    main()
