"""Certificates of the secured receivers, made with openssl when a test first asks for them."""

from __future__ import annotations

import ssl
import subprocess
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Certificate:
    """A certificate that signs itself, with its key in the same file."""

    path: Path

    def server(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path)
        return context

    def trust(self):
        """The client's context that believes this certificate and no other."""
        return ssl.create_default_context(cafile=str(self.path))


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")

    def make(name, host, days="30"):
        key, path = folder / f"{name}.key", folder / f"{name}.pem"
        alternative = f"IP:{host}" if host[0].isdigit() else f"DNS:{host}"
        request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                   "-keyout", key, "-subj", f"/CN={name}",
                   "-addext", f"subjectAltName={alternative}"]  # fmt: skip
        # `req -x509` makes no certificate whose time is over, `x509` does.
        openssl(*request, "-out", folder / "request.csr")
        openssl("x509", "-req", "-in", folder / "request.csr", "-signkey", key, "-out", path,
                "-copy_extensions", "copy", "-days", days)  # fmt: skip
        path.write_bytes(path.read_bytes() + key.read_bytes())
        return Certificate(path)

    return SimpleNamespace(
        good=make("good", "receiver.test"),
        other=make("other", "other.test"),
        literal=make("literal", "127.0.0.1"),
        expired=make("expired", "receiver.test", "-1"),
        of=cache(lambda host: make(host, host)),
    )


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
