"""A sender in a process of its own, whose time and memory can be told.

`python -m tests.outbound.sending` reads ``{"ca": path or null, "waves": [[url, …], …]}``; those
of a wave are sent at the same time. It prints for each address its result, status and seconds,
and by how much memory grew at the most.
"""

from __future__ import annotations

import json
import ssl
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from flowadmin import outbound
from tests.outbound.receivers import allowing, post


def memory(name):
    """A line of the kernel's about this process, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def main():
    """Send everything, with the product's own limits."""
    asked = json.load(sys.stdin)
    options = {"policy": allowing("127.0.0.1")}
    if asked["ca"]:
        options["trust"] = ssl.create_default_context(cafile=asked["ca"])

    def send(url):
        began = time.monotonic()
        answer = outbound.send(post(url), **options)
        return {"result": answer.result, "ok": answer.ok, "seconds": time.monotonic() - began}

    first, *waves = asked["waves"]
    said: dict[str, dict[str, object]] = {}
    # What a first request and a first pool load is not the receivers' doing.
    with ThreadPoolExecutor(max(map(len, waves))) as pool:
        said |= zip(first, pool.map(send, first), strict=True)
        before = memory("VmRSS")
        for wave in waves:
            said |= zip(wave, pool.map(send, wave), strict=True)
    json.dump({"said": said, "grown": memory("VmHWM") - before}, sys.stdout)


if __name__ == "__main__":
    main()
