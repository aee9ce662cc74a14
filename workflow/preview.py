"""Where a request would go, before it is filed and while it runs; nothing is written or sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowadmin.directory.queries import people_by_id
from flowadmin.rest.problems import Problem
from workflow.engine.decision import Decision
from workflow.engine.drafting import draft, open_fields
from workflow.engine.foreseeing import foresee, foresee_start
from workflow.engine.future import marks
from workflow.engine.picking import picks_asked
from workflow.engine.plan import START
from workflow.engine.state import InstanceState
from workflow.forms.rights import fillable
from workflow.published import base_of, definition_of
from workflow.reading import titles_of
from workflow.runtime.asking_outside import asked_now
from workflow.runtime.facts import Organisation
from workflow.runtime.starters import may_start
from workflow.wording.following import Reader
from workflow.wording.foreseen import count_sure, mark_edited, people_in, tell, titles_in
from workflow.wording.rejections import rejection_text
from workflow.wording.timeline import Mentioned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from flowadmin.directory.queries import Person
    from workflow.engine.decision import Definition as Compiled
    from workflow.engine.foreseen import Foreseen
    from workflow.forms.findings import Finding
    from workflow.models import Definition
    from workflow.reading import Reading
    from workflow.wording.foreseen import ToldStep


@dataclass(frozen=True, slots=True)
class Preview:
    """The way ahead in the reader's words, and what was given and does not fit.

    ``people`` are those whom the steps name, by number.
    """

    steps: tuple[ToldStep, ...]
    people: Mapping[int, Person]
    findings: tuple[Finding, ...] = ()


def preview_start(
    *,
    user: User,
    flow: Definition,
    form: Mapping[str, object],
    picked: Mapping[str, Sequence[int]],
    now: datetime,
) -> Preview:
    """The way that a request of this person would go, as far as it is filled in.

    Args:
        user: who would file it.
        flow: a published process that `access` has given him.
        form: JSON values by field id; what does not fit is a finding, and counts as empty.
        picked: people's ids by step id.
        now: the database's clock, aware UTC.

    Raises Problem 403 start.not_allowed: whoever may not start it learns nothing of it.
    Source: contract, `flows/{key}/preview`; approvals.md 5, idea 2.
    """
    if flow.current_id is None:
        message = "A process that can be started has a current version."
        raise ValueError(message)
    definition = definition_of(flow.current_id)
    if not may_start(definition, user, now):
        raise Problem(403, "start.not_allowed", rejection_text("start.not_allowed"))
    drafted = draft(definition, user.pk, form, picked, Organisation(user.tenant_id, now), now)
    found = foresee_start(drafted.run, open_fields=drafted.open_fields, ask_rule=asked_now)
    rights = definition.start_rights()
    steps, people = _told(
        found,
        definition,
        user.tenant_id,
        lambda name: rights.get(name, "hide") != "hide",
    )
    return Preview(steps, people, drafted.findings)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a process that is being designed would do with sample values.

    ``count`` are the steps that surely come, ``fields`` those that whoever files may fill in,
    ``picks`` the steps for which he picks people.
    """

    preview: Preview
    may_start: bool
    count: int
    fields: tuple[str, ...]
    picks: tuple[str, ...]


def preview_design(
    *,
    definition: Compiled,
    starter: User,
    form: Mapping[str, object],
    picked: Mapping[str, Sequence[int]],
    now: datetime,
) -> Tried:
    """The way that a request would go by a process that nobody has published.

    Args:
        definition: compiled from what the designer holds; its problems do not touch the way.
        starter: who would file it, a person of the designer's tenant.
        form, picked, now: as for `preview_start`.

    Nothing is hidden: every value was typed in by whoever asks. Whoever may not start it is told
    so, and sees the way all the same. Source: interface.md 7.9, Simulate.
    """
    tenant_id = starter.tenant_id
    drafted = draft(definition, starter.pk, form, picked, Organisation(tenant_id, now), now)
    found = foresee_start(drafted.run, open_fields=drafted.open_fields, ask_rule=asked_now)
    steps, people = _told(found, definition, tenant_id, lambda _name: True)
    rights = definition.start_rights()
    fields = definition.form.fields if definition.form is not None else ()
    return Tried(
        Preview(steps, people, drafted.findings),
        may_start(definition, starter, now),
        count_sure(steps),
        tuple(each.id for each in fields if fillable(each, rights)),
        tuple(each.step for each in picks_asked(definition.plan, START)),
    )


def preview_ahead(reading: Reading, now: datetime) -> Preview:
    """What a running request still has before it, as this person may know it.

    It begins with the steps that are open now, and is empty once the request has ended.
    """
    if reading.state.status is not InstanceState.RUNNING:
        return Preview((), {})
    tenant_id = reading.instance.tenant_id
    facts = Organisation(tenant_id, now)
    run = Decision(reading.definition, facts, now, reading.state)
    with_initiator = any(each.step == START for each in reading.state.activations)
    still_open = open_fields(run) if with_initiator else frozenset()
    found = foresee(run, open_fields=still_open, ask_rule=asked_now)
    steps, people = _told(found, reading.definition, tenant_id, reading.shows)
    if reading.instance.version.private_to_id is not None:
        steps = mark_edited(steps, marks(base_of(reading.instance.version), reading.definition))
    return Preview(steps, people)


def _told(
    found: Sequence[Foreseen],
    definition: Compiled,
    tenant_id: int,
    shows: Callable[[str], bool],
) -> tuple[tuple[ToldStep, ...], dict[int, Person]]:
    titles = frozenset(titles_in(found, definition.form))
    mentioned = Mentioned(frozenset(people_in(found)) - {0}, titles)
    people = {person.id: person for person in people_by_id(mentioned.people)}
    names = {user: person.name for user, person in people.items()}
    reader = Reader(definition, names, shows, titles_of(tenant_id, mentioned))
    return tell(found, reader), people
