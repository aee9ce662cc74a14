"""What the pages `/problems/<code>` say about the refusals of files."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from flowadmin.rest.catalogue import describe

_REFUSED = _("This file is not taken")
_ATTACH = _("The file cannot be attached")

for _code, _title, _text in (
    ("file.too_large", _REFUSED, _("A file has at most 10 MiB.")),
    ("file.empty", _REFUSED, _("The file holds no bytes.")),
    (
        "file.kind",
        _REFUSED,
        _("Programs and unknown kinds of files are refused; documents and pictures are taken."),
    ),
    (
        "file.form",
        _("The upload cannot be read"),
        _("Send multipart/form-data with one part named “file”."),
    ),
    (
        "file.too_many_unused",
        _("Too many of your files are not used yet"),
        _("File the request that needs them, delete some, or wait a day."),
    ),
    (
        "file.unknown",
        _ATTACH,
        _("There is no such file of yours; unused files are deleted after a day."),
    ),
    (
        "file.bound",
        _("The file belongs to a request"),
        _("It can neither be deleted nor be attached to another one."),
    ),
    (
        "file.storage",
        _("The file storage is not available"),
        _("Try again in a moment; if it stays so, tell an operator."),
    ),
):
    describe(_code, _title, _text)
