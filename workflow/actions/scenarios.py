"""Scenarios of a process: played before publishing, and stored with the version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db.models import F
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow.engine.clicking import Impossible
from workflow.engine.decision import Definition as Runnable
from workflow.engine.plan import compile_plan
from workflow.engine.playing import Outcome, play
from workflow.engine.recording import record
from workflow.engine.rejections import Rejection
from workflow.engine.scenario import decode_scenarios
from workflow.forms.findings import Finding, child, errors
from workflow.models import ScenarioSet
from workflow.runtime.asking_outside import asked_now
from workflow.runtime.facts import Organisation
from workflow.runtime.refusals import problem_of
from workflow.wording.findings import sentence, worded
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.flowdoc.document import Flowdoc
    from workflow.engine.recording import Filed
    from workflow.forms.formdoc import FormDoc
    from workflow.models import Version

AT = "/scenarios"
# Moments of one play whose organisation is kept; a click with `after` makes a new one.
_MOMENTS = 64


@dataclass(frozen=True, slots=True)
class PlayedAll:
    """Every scenario in its order; nothing was played when ``findings`` hold an error."""

    raw: Sequence[object]
    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether they could be read."""
        return not errors(self.findings)

    @property
    def red(self) -> tuple[Outcome, ...]:
        return tuple(each for each in self.outcomes if not each.green)


def play_all(tenant_id: int, doc: Flowdoc | None, form: FormDoc | None, raw: object) -> PlayedAll:
    """Play scenarios (parsed JSON) with a process that could be published.

    Without one they are only read.

    People, departments and absences are the tenant's, as they are known today for the moment of
    the scenario's own clock. Nothing is stored and nobody outside is asked. Positions of findings
    begin with ``/scenarios`` (approvals.md 5, idea 16).
    """
    plan = compile_plan(doc) if doc is not None else None
    decoded = decode_scenarios(raw, plan)
    findings = tuple(replace(each, at=AT + each.at) for each in decoded.findings)
    if plan is None:
        return PlayedAll((), (), findings)
    runnable = Runnable(plan, form)

    @lru_cache(maxsize=_MOMENTS)
    def facts_at(moment: datetime) -> Organisation:
        return Organisation(tenant_id, moment)

    outcomes = tuple(play(runnable, each, facts_at) for each in decoded.scenarios)
    return PlayedAll(raw if isinstance(raw, list) else (), outcomes, findings)


def recorded(
    tenant_id: int, doc: Flowdoc, form: FormDoc | None, filed: Filed, now: datetime
) -> dict[str, Any]:
    """A scenario of what is filled in now: everybody agrees, and the path is expected as it comes.

    ``now`` (aware UTC) is where its clock begins. Nothing is stored. Raises Problem: what a start
    would raise, with positions below ``/form`` and ``/picked``; 422 person.unknown.
    """

    @lru_cache(maxsize=_MOMENTS)
    def facts_at(moment: datetime) -> Organisation:
        return Organisation(tenant_id, moment)

    try:
        return record(Runnable(compile_plan(doc), form), filed, now, facts_at, asked_now)
    except Rejection as rejection:
        raise problem_of(rejection) from rejection
    except Impossible as unknown:
        raise Problem(422, "person.unknown", rejection_text("person.unknown")) from unknown


def problems(played: PlayedAll, *, red_is: str) -> list[dict[str, Any]]:
    """What is wrong with the scenarios, as members of a problem; red ones at ``red_is`` level.

    A red one is `scenario.red` at ``/scenarios/<number>``; its arguments name the difference, its
    place in the scenario, and what that one carries.
    """
    found = worded(played.findings)
    for number, each in enumerate(played.outcomes):
        if each.difference is None:
            continue
        difference = each.difference
        told = Finding(difference.code, difference.at, args=difference.args)
        red = Finding("scenario.red", args={"name": each.name})
        found.append(
            {
                "code": red.code,
                "at": child(AT, number),
                "step": None,
                "level": red_is,
                "args": {
                    **difference.args,
                    "name": each.name,
                    "difference": difference.code,
                    "where": difference.at,
                },
                "message": f"{sentence(red)} {sentence(told)}",
            }
        )
    return found


def results(played: PlayedAll) -> list[dict[str, Any]]:
    """What each came to, as it is stored and answered (`ScenarioSet.results`)."""
    return [_result(each) for each in played.outcomes]


def _result(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": outcome.name,
        "green": outcome.green,
        "path": list(outcome.path),
        "ends": outcome.ends,
    }
    if outcome.difference is not None:
        difference = outcome.difference
        told |= {"code": difference.code, "at": difference.at, "args": dict(difference.args)}
    return told


def for_publishing(
    user: User,
    doc: Flowdoc,
    form: FormDoc | None,
    given: object | None,
    *,
    require_green: bool | None,
) -> tuple[PlayedAll | None, bool]:
    """Play what a version is published with, and say whether all of it has to be green.

    Without ``given`` the scenarios of the current version go on with the new one; so does its
    word about green without ``require_green``. Scenarios that were only taken over and cannot be
    read any more (a step is gone) stop nobody unless they have to be green. Raises Problem 422
    flow.invalid with all problems; nothing is stored.
    """
    before = stored_for(user.tenant_id, doc.key)
    kept = before.scenarios if before is not None else None
    raw = kept if given is None else given
    required = bool(before and before.require_green) if require_green is None else require_green
    if raw is None:
        return (PlayedAll((), (), ()) if required else None), required
    played = play_all(user.tenant_id, doc, form, raw)
    must_be_read = required or given is not None
    if (must_be_read and not played.ok) or (required and played.red):
        raise Problem(
            422,
            "flow.invalid",
            _("The process has problems."),
            errors=problems(played, red_is="error" if required else "warning"),
        )
    return played, required


def stored_for(tenant_id: int, key: str) -> ScenarioSet | None:
    """The scenarios of the version with which new requests of a process begin."""
    return ScenarioSet.objects.filter(
        tenant_id=tenant_id,
        version__definition__tenant_id=tenant_id,
        version__definition__key=key,
        version__definition__current_id=F("version_id"),
    ).first()


def stored_with(version: Version) -> ScenarioSet | None:
    """The scenarios of one version."""
    return ScenarioSet.objects.filter(version=version, tenant_id=version.tenant_id).first()


def results_of(version: Version) -> list[dict[str, Any]]:
    """What the scenarios of a version came to when it was published; [] without scenarios."""
    kept = stored_with(version)
    results: list[dict[str, Any]] = [] if kept is None else kept.results
    return results


def keep(
    *,
    version: Version,
    user: User,
    played: PlayedAll,
    require_green: bool,
    now: datetime,
) -> None:
    """Store the scenarios with a version, in place of those that it had.

    The caller holds the lock of the process' row.
    """
    ScenarioSet.objects.update_or_create(
        version=version,
        defaults={
            "tenant_id": version.tenant_id,
            "scenarios": list(played.raw),
            "results": results(played),
            "require_green": require_green,
            "changed_by": user,
            "changed_at": now,
        },
    )
