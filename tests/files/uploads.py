"""Contents to upload, whole multipart requests, and what lies on disk."""

from __future__ import annotations

from contextlib import contextmanager

from django.core.files.uploadedfile import SimpleUploadedFile

from flowadmin.files import disk, storing
from flowadmin.files.models import File

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n\xe2\xe3\xcf\xd3"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"\x00" * 40
PROGRAM = b"MZ\x90\x00\x03\x00\x00\x00" + b"\x00" * 60
BASE = "/api/v1/files/"


def a_file(user, *, now, name="receipt.pdf", content=PDF, bound_to=""):
    """A stored file of this person; its row."""
    file = storing.store(
        tenant_id=user.tenant_id, owner_id=user.pk, name=name, chunks=[content], now=now
    )
    if bound_to:
        File.objects.filter(pk=file.pk).update(bound_to=bound_to, bound_at=now)
        file.refresh_from_db()
    return file


def upload(client, content=PDF, name="receipt.pdf", *, told="application/pdf", **headers):
    """POST one file; what the browser tells of its type is nonsense more often than not."""
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    part = SimpleUploadedFile("x", content, content_type=told)
    part.__dict__["_name"] = name  # past Django's own cleaning, as a sender would write it
    return client.post(BASE, {"file": part}, headers=sent)


def raw(client, body, *, boundary="b", **more):
    """POST a body as it is."""
    kind = f"multipart/form-data; boundary={boundary}"
    return client.post(BASE, data=body, content_type=kind, **more)


def part(content=PDF, name="receipt.pdf", *, field="file", boundary="b"):
    """The bytes of one part, with its boundary before it."""
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"'
    head += f'; filename="{name}"' if name is not None else ""
    return f"{head}\r\n\r\n".encode() + content + b"\r\n"


def on_disk():
    """Everything below the folder of the bytes, with its content."""
    root = disk.media()
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def rows():
    """Every value of every row."""
    return list(File.objects.order_by("pk").values())


@contextmanager
def nothing_stored():
    """No row and no byte comes, goes or changes meanwhile."""
    before = rows(), on_disk()
    yield
    assert (rows(), on_disk()) == before


def refused(answer, status, code):
    """Assert the refusal; the problem."""
    assert (answer.status_code, answer.json().get("code")) == (status, code), answer.content
    assert answer["Content-Type"] == "application/problem+json"
    return answer.json()
