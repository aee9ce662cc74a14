"""Whole HTTP requests: uploads that are kept, refused or broken off; downloads; deletions."""

from __future__ import annotations

import hashlib
import io
import os

import pytest
from django.test import Client

from flowadmin import clock
from flowadmin.directory import actions
from flowadmin.files import access, disk, storing
from flowadmin.files.models import File
from tests.files.uploads import (
    BASE,
    PDF,
    PNG,
    PROGRAM,
    a_file,
    nothing_stored,
    on_disk,
    part,
    raw,
    refused,
    rows,
    upload,
)


@pytest.fixture
def client(client_of, ann):
    return client_of(ann)


@pytest.fixture
def readers(monkeypatch):
    """The table of readers, empty, and as it was afterwards."""
    found: dict[str, access.Reader] = {}
    monkeypatch.setattr(access, "_readers", found)
    return found


# Uploading ----------------------------------------------------------------------------------


def test_an_upload_is_kept_and_read_again(client, ann):
    answer = upload(client, PNG, "../Scan 发票.png", told="text/html")
    assert answer.status_code == 201, answer.content
    value = answer.json()
    assert value == {
        "id": value["id"],
        "name": "Scan 发票.png",
        "size": len(PNG),
        "type": "image/png",
        "sha256": hashlib.sha256(PNG).hexdigest(),
    }
    assert len(value["id"]) == 22
    assert answer["Location"] == f"{BASE}{value['id']}/"
    row = File.objects.get()
    assert (row.owner_id, row.tenant_id, row.bound_to) == (ann.pk, ann.tenant_id, "")
    assert on_disk() == {f"{ann.tenant_id}/{row.id}": PNG}
    path = disk.path_of(ann.tenant_id, row.id)
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0

    down = client.get(answer["Location"])
    assert down.status_code == 200
    assert b"".join(down.streaming_content) == PNG
    assert down["Content-Type"] == "image/png"
    assert down["Content-Length"] == str(len(PNG))
    assert down["Content-Disposition"] == (
        "attachment; filename=\"Scan __.png\"; filename*=UTF-8''Scan%20%E5%8F%91%E7%A5%A8.png"
    )
    assert down["X-Content-Type-Options"] == "nosniff"
    assert down["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert down["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.html", b"<html><script>alert(1)</script>", "text/html"),
        ("a.svg", b"<svg onload='alert(1)'/>", "image/svg+xml"),
        ("a.txt", b"<script>alert(1)</script>", "text/html"),
    ],
)
def test_what_a_browser_could_run_is_never_served_as_such(client, name, content, found):
    answer = upload(client, content, name)
    assert answer.json()["type"] == found
    down = client.get(answer["Location"], headers={"Accept": "image/*"})
    assert down["Content-Type"] == "application/octet-stream"
    assert down["Content-Disposition"].startswith("attachment")
    down.close()


def test_a_machine_uploads_with_its_token(ann):
    token = actions.issue_token(ann, now=clock.now())
    answer = upload(Client(enforce_csrf_checks=True), Authorization=f"Token {token}")
    assert answer.status_code == 201
    assert File.objects.get().owner == ann


def test_exactly_ten_mebibytes_are_taken_and_not_a_byte_more(client):
    answer = upload(client, b"x" * disk.MAX_SIZE, "big.txt")
    assert answer.status_code == 201
    assert answer.json()["size"] == 10 * 1024 * 1024
    with nothing_stored():
        refused(upload(client, b"x" * (disk.MAX_SIZE + 1), "big.txt"), 413, "file.too_large")


def as_it_comes(client, body, length):
    """POST through the whole stack with a stream that may not hold what was announced."""
    return client.request(
        REQUEST_METHOD="POST",
        PATH_INFO=BASE,
        CONTENT_TYPE="multipart/form-data; boundary=b",
        CONTENT_LENGTH=str(length),
        **{"wsgi.input": body},
    )


class Untouched(io.RawIOBase):
    """A body that nobody may read."""

    def read(self, size=-1):
        raise AssertionError(size)


def test_a_body_that_is_announced_too_large_is_not_read(client):
    for length in (disk.MAX_SIZE + 2**20, 2**40, "9" * 400, "-5", "1e3", "\u0661"):
        with nothing_stored():
            refused(as_it_comes(client, Untouched(), length), 413, "file.too_large")


def test_the_body_of_a_stranger_is_not_read(client_of, ann):
    for stranger in (Client(), client_of(ann, enforce_csrf_checks=True)):
        with nothing_stored():
            answer = as_it_comes(stranger, Untouched(), 1000)
        assert answer.status_code in {401, 403}


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.pdf", b"", "file.empty"),
        ("invoice.pdf.exe", PDF, "file.kind"),
        ("invoice.pdf", PROGRAM, "file.kind"),
        ("\u202efdp.exe", PDF, "file.kind"),
    ],
)
def test_what_is_not_taken(client, name, content, code):
    with nothing_stored():
        refused(upload(client, content, name), 422, code)


CLOSED = b"--b--\r\n"
BROKEN = {
    "no part": (CLOSED, 400, "request.invalid", "/file"),
    "no body": (b"", 400, "request.invalid", "/file"),
    "no file name": (part(name=None) + CLOSED, 400, "request.invalid", "/file"),
    "an empty file name": (part(name="") + CLOSED, 400, "request.invalid", "/file"),
    "another field": (part(field="other") + CLOSED, 400, "request.invalid", "/other"),
    "two files": (part() + part() + CLOSED, 400, "request.invalid", "/file/1"),
    "a value beside it": (
        part() + part(b"1", name=None, field="a/b") + CLOSED,
        400,
        "request.invalid",
        "/a~1b",
    ),
    "no closing boundary": (part(), 400, "body.broken_off", None),
    "no boundary at all": (b"hello", 400, "body.broken_off", None),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_form_that_is_not_as_it_should_be(client, what):
    body, status, code, at = BROKEN[what]
    with nothing_stored():
        problem = refused(raw(client, body), status, code)
    if at is not None:
        assert [each["at"] for each in problem["errors"]] == [at]


def test_a_boundary_that_is_none(client):
    with nothing_stored():
        refused(raw(client, part() + CLOSED, boundary=""), 400, "file.form")


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_other_media_types(client, kind):
    with nothing_stored():
        answer = client.post(BASE, data="{}", content_type=kind)
    refused(answer, 415, "media_type.unsupported")


def test_a_name_that_would_be_none_is_called_file(client):
    for name in ("..", "/"):
        assert raw(client, part(name=name) + CLOSED).json()["name"] == "file"


def test_a_body_that_breaks_off_stores_nothing(client):
    """The peer is gone: reading gives no more bytes and no error, as under gunicorn."""
    body = part(b"x" * 200_000, "a.txt") + CLOSED
    for length in (0, 40, 100_000, len(body) - 5):
        with nothing_stored():
            answer = as_it_comes(client, io.BytesIO(body[:length]), len(body))
            refused(answer, 400, "body.broken_off")
    assert as_it_comes(client, io.BytesIO(body), len(body)).json()["size"] == 200_000


def test_a_body_whose_reading_fails_stores_nothing(client):
    class Torn(io.RawIOBase):
        def read(self, size=-1):
            raise ConnectionResetError(size)

    with nothing_stored():
        refused(as_it_comes(client, Torn(), 1000), 400, "body.broken_off")


def test_nobody_and_a_foreign_page_store_nothing(client_of, ann):
    with nothing_stored():
        refused(upload(Client()), 401, "auth.required")
        refused(upload(client_of(ann, enforce_csrf_checks=True)), 403, "csrf.failed")


def test_the_browser_sends_its_token_in_a_header(client_of, ann):
    client = client_of(ann, enforce_csrf_checks=True)
    client.cookies["csrftoken"] = token = "c" * 32
    assert upload(client, X_CSRFToken=token).status_code == 201
    with nothing_stored():
        body = part(token.encode(), name=None, field="csrfmiddlewaretoken") + part() + CLOSED
        refused(raw(client, body), 403, "csrf.failed")


def test_a_person_may_have_a_hundred_unused_files(client, ann, now, monkeypatch):
    monkeypatch.setattr(storing, "MOST_UNUSED", 2)
    first = a_file(ann, now=now)
    a_file(ann, now=now)
    with nothing_stored():
        refused(upload(client), 409, "file.too_many_unused")
    File.objects.filter(pk=first.pk).update(bound_to="instance:1:field:x")
    assert upload(client).status_code == 201


def test_a_disk_that_fails_is_503_and_leaves_nothing(client, monkeypatch):
    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with nothing_stored():
        answer = upload(client)
    refused(answer, 503, "file.storage")
    assert answer["Retry-After"]


# The optional key -----------------------------------------------------------------------------


def test_a_repeated_key_gets_the_first_answer(client):
    first = upload(client, idempotency_key="once")
    assert (first.status_code, first.get("Idempotency-Replayed")) == (201, None)
    with nothing_stored():
        again = upload(client, idempotency_key="once")
    assert (again.status_code, again["Idempotency-Replayed"]) == (201, "true")
    assert again.json() == first.json()
    assert again["Location"] == first["Location"]


def test_a_key_for_another_file_or_of_bad_spelling(client):
    upload(client, idempotency_key="once")
    with nothing_stored():
        other = upload(client, PNG, idempotency_key="once")
        refused(other, 422, "idempotency.other_body")
        refused(upload(client, idempotency_key="a b"), 400, "idempotency.bad")


def test_without_a_key_an_upload_is_another_file(client):
    assert upload(client).json()["id"] != upload(client).json()["id"]


# Reading and deleting ------------------------------------------------------------------------


def test_an_unbound_file_is_its_owners_alone(client_of, ann, gus, eve, admin, now):
    file = a_file(ann, now=now)
    for user in (gus, eve, admin):
        with nothing_stored():
            refused(client_of(user).get(f"{BASE}{file.id}/"), 404, "not_found")
            refused(client_of(user).delete(f"{BASE}{file.id}/"), 404, "not_found")
    for name in ("x", "." * 22, "..", "a" * 5000, "%F0%9F%93%84"):
        refused(client_of(ann).get(f"{BASE}{name}/"), 404, "not_found")


def test_a_bound_file_is_read_by_whom_its_reader_names(client_of, ann, gus, eve, now, readers):
    file = a_file(ann, now=now, bound_to="instance:17:field:receipt")
    for user in (ann, gus):
        refused(client_of(user).get(f"{BASE}{file.id}/"), 404, "not_found")

    def reads(user, asked):
        assert asked == file
        return user.login == "gus" and asked.bound_to == "instance:17:field:receipt"

    access.register_reader("instance", reads)
    access.register_reader("instance", reads)
    with pytest.raises(ValueError, match="instance"):
        access.register_reader("instance", lambda _user, _file: True)
    down = client_of(gus).get(f"{BASE}{file.id}/")
    assert b"".join(down.streaming_content) == PDF
    refused(client_of(ann).get(f"{BASE}{file.id}/"), 404, "not_found")
    refused(client_of(eve).get(f"{BASE}{file.id}/"), 404, "not_found")


def test_another_tenants_file_is_not_even_asked_about(client_of, ann, eve, now, readers):
    readers["instance"] = lambda _user, _file: True
    file = a_file(ann, now=now, bound_to="instance:17:field:receipt")
    with nothing_stored():
        refused(client_of(eve).get(f"{BASE}{file.id}/"), 404, "not_found")
        refused(client_of(eve).delete(f"{BASE}{file.id}/"), 404, "not_found")


def test_deleting(client, ann, now, django_capture_on_commit_callbacks):
    file = a_file(ann, now=now)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.delete(f"{BASE}{file.id}/")
    assert (answer.status_code, answer.content) == (204, b"")
    assert (rows(), on_disk()) == ([], {})
    refused(client.delete(f"{BASE}{file.id}/"), 404, "not_found")


def test_a_bound_file_is_not_deleted(client_of, ann, gus, now, readers):
    readers["instance"] = lambda user, _file: user.login == "gus"
    file = a_file(ann, now=now, bound_to="instance:17:field:receipt")
    with nothing_stored():
        refused(client_of(ann).delete(f"{BASE}{file.id}/"), 409, "file.bound")
        refused(client_of(gus).delete(f"{BASE}{file.id}/"), 403, "permission.denied")


def test_lost_bytes_are_told_and_not_a_failure_of_ours(client, ann, now):
    file = a_file(ann, now=now)
    disk.remove(file.tenant_id, file.id)
    refused(client.get(f"{BASE}{file.id}/"), 503, "file.storage")


def test_a_file_that_goes_while_it_is_read_is_not_there(client, ann, now, monkeypatch):
    file = a_file(ann, now=now)

    def late(tenant_id, file_id):
        File.objects.filter(pk=file_id).delete()
        disk.remove(tenant_id, file_id)
        return disk.path_of(tenant_id, file_id).open("rb")

    monkeypatch.setattr(disk, "opened", late)
    refused(client.get(f"{BASE}{file.id}/"), 404, "not_found")
