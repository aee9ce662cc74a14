"""Files and a signature that come with a decision: stored on the way in, kept when refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from flowadmin.files.models import File
from flowadmin.files.storing import store
from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from datetime import datetime

    from django.core.files.uploadedfile import UploadedFile
    from django.http import HttpRequest

    from flowadmin.directory.models import User
    from workflow.engine.flowdoc.rules import Evidence

# At once, and together with those that were kept.
MOST_FILES = 20
LONGEST_ID = 64


@dataclass(slots=True)
class Papers:
    """What a step asks for besides words, and what was brought; ids are those of stored files.

    ``files_rule`` and ``signature_rule`` are ``no``, ``may`` or ``must``.
    """

    files_rule: str = "no"
    signature_rule: str = "no"
    files: tuple[str, ...] = ()
    signature: str = ""
    names: dict[str, str] = field(default_factory=dict)
    files_error: str = ""
    signature_error: str = ""

    @property
    def asked(self) -> bool:
        """Whether the step takes any of them."""
        return self.files_rule != "no" or self.signature_rule != "no"

    @property
    def kept(self) -> list[tuple[str, str]]:
        """Id and name of each file that is stored already."""
        return [(each, self.names.get(each, each)) for each in self.files]

    @property
    def signed(self) -> str:
        """The name of the stored signature."""
        return self.names.get(self.signature, self.signature)

    @property
    def faulty(self) -> bool:
        """Whether something of it was refused."""
        return bool(self.files_error or self.signature_error)


def papers_of(evidence: Evidence | None) -> Papers:
    """What a step asks for; nothing where nobody decides."""
    if evidence is None:
        return Papers()
    return Papers(evidence.files, evidence.signature)


def sent_papers(request: HttpRequest, evidence: Evidence | None, user: User) -> Papers:
    """What was stored by an earlier try and sent again, by its ids."""
    papers = papers_of(evidence)
    given = dict.fromkeys(request.POST.getlist("attachments"))
    papers.files = tuple(each for each in given if _may_be_id(each))[:MOST_FILES]
    signature = request.POST.get("signature", "")
    papers.signature = signature if _may_be_id(signature) else ""
    ids = {*papers.files, papers.signature} - {""}
    if ids:
        own = File.objects.filter(tenant_id=user.tenant_id, owner_id=user.pk, bound_to="")
        papers.names = dict(own.filter(id__in=ids).values_list("id", "name"))
    return papers


def take_in(request: HttpRequest, papers: Papers, user: User, now: datetime) -> None:
    """Store the bytes that came along, as the person's own unbound files (contract, Files).

    Only once it is known that the person may act. What the act then does not take, or a second
    click stored once more, is deleted after 24 hours like any other unbound file.
    """
    uploads = request.FILES.getlist("new_files")
    if len(uploads) + len(papers.files) > MOST_FILES:
        papers.files_error = _("At most %(count)d files, please.") % {"count": MOST_FILES}
    else:
        for upload in uploads:
            file = _stored(upload, papers, "files_error", user, now)
            papers.files += () if file is None else (file.id,)
    for upload in request.FILES.getlist("new_signature")[-1:]:
        file = _stored(upload, papers, "signature_error", user, now)
        # By its bytes, not by what the browser calls it.
        if file is not None and not file.media_type.startswith("image/"):
            papers.signature_error = _("A signature is a picture.")
        elif file is not None:
            papers.signature = file.id


def _stored(
    upload: UploadedFile[Any], papers: Papers, error: str, user: User, now: datetime
) -> File | None:
    try:
        file = store(
            tenant_id=user.tenant_id,
            owner_id=user.pk,
            name=upload.name or "",
            chunks=upload.chunks(),
            now=now,
        )
    except Problem as problem:
        if problem.status >= 500:
            raise
        setattr(papers, error, str(problem.detail))
        return None
    papers.names[file.id] = file.name
    return file


def _may_be_id(text: str) -> bool:
    return 0 < len(text) <= LONGEST_ID and text.isascii() and text.isprintable()
