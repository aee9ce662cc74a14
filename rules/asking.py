"""How the rest of the product asks a rule: by application and chain, outside any transaction.

Theory of operation. Whoever asks knows nothing of how a rule is made. Today a rule is a Python
function that was registered under ``application/chain_id``; published chains take its place
behind the same question. A rule gets a copy of plain values and gives plain values back. It is
asked at least once: a worker that dies before it noted the answer asks again, so a rule must
change nothing outside itself. Where a process has room for one value only (people, a condition, a
field's new value), the answer's member ``value`` counts.

The exceptions, each with a ``code``::

    UnknownRule   there is no such rule, or not in this version      rule.unknown
    RuleFailed    the rule raised, or gave something that is no answer   rule.failed
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

log = logging.getLogger(__name__)

Function = Callable[[Mapping[str, object]], Mapping[str, object]]
# A function that is registered stands for itself: it has one version.
FIRST = 1


class RuleProblem(Exception):
    """A rule gave no answer; ``rule`` is its name as ``application/chain_id``."""

    code = "rule.failed"

    def __init__(self, rule: str) -> None:
        super().__init__(f"{self.code}: {rule}")
        self.rule = rule


class UnknownRule(RuleProblem):
    """There is no such rule, or not in this version."""

    code = "rule.unknown"


class RuleFailed(RuleProblem):
    """The rule raised, or what it gave back is no answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rule gave: plain values by name, and the version that gave them."""

    values: Mapping[str, object]
    version: int


_functions: dict[tuple[str, str], Function] = {}


def register(application: str, chain_id: str, function: Function) -> None:
    """Let a Python function stand for a rule; a later one takes the place of an earlier one."""
    _functions[application, chain_id] = function


def unregister(application: str, chain_id: str) -> None:
    """Take a registered function away; nothing when there is none."""
    _functions.pop((application, chain_id), None)


def registered() -> tuple[tuple[str, int], ...]:
    """Every rule that can be asked, as ``application/chain_id`` with its newest version."""
    names = sorted(f"{application}/{chain_id}" for application, chain_id in _functions)
    return tuple((name, FIRST) for name in names)


def newest_version(application: str, chain_id: str) -> int:
    """The newest version of a rule; 0 when there is no such rule."""
    return FIRST if (application, chain_id) in _functions else 0


def has_version(application: str, chain_id: str, version: int | None) -> bool:
    """Whether a rule can be asked in this version (None: in any)."""
    newest = newest_version(application, chain_id)
    return newest > 0 and version in {None, newest}


def ask(
    application: str, chain_id: str, version: int | None, inputs: Mapping[str, object]
) -> Answer:
    """Ask a rule and wait for its answer. Never inside a decision's transaction (decision 9).

    Args:
        application: the application that the rule belongs to.
        chain_id: the rule within it.
        version: the version to ask; None for the newest.
        inputs: plain JSON values by name; the rule gets a copy.

    Raises UnknownRule, RuleFailed. Source: decisions 9 and 14.
    """
    name = f"{application}/{chain_id}"
    function = _functions.get((application, chain_id))
    if function is None or not has_version(application, chain_id, version):
        raise UnknownRule(name)
    try:
        found: object = function(deepcopy(dict(inputs)))
    except Exception as error:
        # Whatever a rule does wrong, the request that asked says so; the log says where.
        log.exception("the rule %s failed", name)
        raise RuleFailed(name) from error
    if not isinstance(found, Mapping) or not all(isinstance(each, str) for each in found):
        raise RuleFailed(name)
    return Answer(values=dict(found), version=FIRST)
