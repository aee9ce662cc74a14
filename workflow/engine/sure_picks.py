"""People to pick for a step behind a condition: needed when what was filled in leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.foreseeing import foresee_start
from workflow.engine.picking import missing_picks
from workflow.engine.rejections import Invalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.foreseen import Foreseen


def require_sure_picks(run: Decision) -> None:
    """A request that surely comes to such a step would wait there for nobody.

    Asked only where such picks are missing. Raises Invalid (picked.invalid) with picked.missing.
    """
    missing = missing_picks(run)
    if not missing:
        return
    sure = {each.step for each in _flat(foresee_start(run, open_fields=frozenset())) if each.sure}
    findings = tuple(finding for step, finding in missing.items() if step in sure)
    if findings:
        raise Invalid("picked.invalid", findings=findings)


def _flat(steps: Sequence[Foreseen]) -> Iterator[Foreseen]:
    for step in steps:
        yield step
        for branch in step.branches:
            if branch.taken is not False:
                yield from _flat(branch.steps)
