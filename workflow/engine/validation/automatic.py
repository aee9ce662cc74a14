"""Steps that nobody decides: calls, subflows, rules and changes of the form (invariant 11)."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from workflow.engine.flowdoc import (
    Change,
    Computed,
    HttpStep,
    NoticeStep,
    RuleStep,
    Saved,
    SetStep,
    SubflowStep,
    seconds_of,
)
from workflow.engine.validation.fields import MOMENTS, template_faults
from workflow.engine.validation.look import Spot, fault, warning
from workflow.forms.findings import Finding, child, printable
from workflow.forms.scalars import Fault, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look
    from workflow.forms.scalars import FieldType

LONGEST_CALL = 60
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>[^/?#]*)")
_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "x-api-key", "x-auth-token"}
)
# A body is often JSON, whose braces are its own; only what looks like a placeholder is one.
_IN_BODY = re.compile(r"\{[a-z_]+(?:\.[a-z0-9_.]+)\}")
_VARIABLE = re.compile(r"\{var\.[a-z][a-z0-9_]{0,47}\}")
_IN_HOST = re.compile(r"\{[^{}]*\}")
# Which answers fit into which fields.
_SAVED: Mapping[str, frozenset[FieldType]] = {
    "text": frozenset({"text", "long_text", "choice"}),
    "number": frozenset({"number"}),
    "integer": frozenset({"integer", "number", "amount"}),
    "amount": frozenset({"amount"}),
    "date": frozenset({"date"}),
    "bool": frozenset({"bool"}),
}

# Fields that the present moment can be written into.
_NOW: frozenset[FieldType] = MOMENTS | {"time", "text"}


def check(look: Look) -> Iterator[Finding]:
    """Every finding about steps that run by themselves."""
    for placed in look.steps:
        step = placed.step
        if isinstance(step, HttpStep):
            yield from _http(step, placed, look)
        elif isinstance(step, SubflowStep):
            yield from _subflow(step, placed, look)
        elif isinstance(step, RuleStep):
            yield from _outputs(step.save, placed, child(placed.at, "save"), look)
        elif isinstance(step, NoticeStep) and not step.text.strip():
            # Its reader would get a heading alone.
            yield warning("notice.no_text", placed, child(placed.at, "text"))
        elif isinstance(step, SetStep):
            for number, change in enumerate(step.changes):
                at = child(child(placed.at, "changes"), number)
                yield from _change(change, placed, at, look)


def _http(step: HttpStep, placed: PlanStep, look: Look) -> Iterator[Finding]:
    yield from _address(step.url, placed, child(placed.at, "url"))
    for name, value in step.headers.items():
        if name.lower() in _SECRET_HEADERS and isinstance(value, str):
            at = child(child(placed.at, "headers"), name)
            yield fault("http.inline_secret", placed, at)
    yield from _placeholders(step.url, placed, child(placed.at, "url"), look)
    for name, value in step.headers.items():
        if isinstance(value, str):
            yield from _placeholders(value, placed, child(child(placed.at, "headers"), name), look)
    yield from _placeholders(step.body, placed, child(placed.at, "body"), look)
    if not 0 < (seconds_of(step.timeout) or 0) <= LONGEST_CALL:
        yield fault("http.timeout_range", placed, child(placed.at, "timeout"), high=LONGEST_CALL)
    for number, saved in enumerate(step.save):
        at = child(child(child(child(placed.at, "save"), number), "to"), "field")
        yield from _saved(saved, placed, at, look)


def _placeholders(text: str, placed: PlanStep, at: str, look: Look) -> Iterator[Finding]:
    """Those that nobody fills in; variables of the run are known only when it runs."""
    for found in _IN_BODY.finditer(text):
        if not _VARIABLE.fullmatch(found.group()) and any(
            template_faults(found.group(), look, placed, "")
        ):
            yield fault("http.body_template", placed, at, placeholder=printable(found.group()))


def _address(url: str, placed: PlanStep, at: str) -> Iterator[Finding]:
    """What the text alone tells; the guard of outgoing calls looks at the real address again."""
    found = _URL.match(url)
    if found is None or found["scheme"].lower() != "https":
        yield fault("http.scheme", placed, at)
        return
    host = found["host"]
    for named in _IN_HOST.finditer(host):
        # A value would say whom the request, and the secrets in it, go to.
        yield fault("http.body_template", placed, at, placeholder=printable(named.group()))
    if "@" in host:
        yield fault("http.inline_secret", placed, at)
    if _is_private(host.rpartition("@")[2]):
        yield fault("http.private_host", placed, at, host=printable(host.rpartition("@")[2]))


def _is_private(host: str) -> bool:
    name = host.lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    name = name.rstrip(".")
    if name in {"", "localhost"} or name.endswith(".localhost"):
        return True
    try:
        return not ipaddress.ip_address(name).is_global
    except ValueError:
        return False


def _saved(saved: Saved, placed: PlanStep, at: str, look: Look) -> Iterator[Finding]:
    kind = None if saved.to.field is None else look.type_of(saved.to.field)
    # A field that is not there is reported with all other references to fields.
    if saved.to.field is not None and kind is not None and kind not in _SAVED[saved.type]:
        yield fault("form.type_mismatch", placed, at, field=printable(saved.to.field), type=kind)


def _subflow(step: SubflowStep, placed: PlanStep, look: Look) -> Iterator[Finding]:
    if step.flow == look.doc.key:
        yield fault("subflow.recursive", placed, child(placed.at, "flow"), flow=step.flow)
    yield from _outputs(step.output, placed, child(placed.at, "output"), look)


def _outputs(
    output: Mapping[str, str], placed: PlanStep, at: str, look: Look
) -> Iterator[Finding]:
    spot = Spot(placed.step, placed.at, placed)
    for name in output:
        yield from look.field_faults(name, spot, child(at, name))


def _change(change: Change, placed: PlanStep, at: str, look: Look) -> Iterator[Finding]:
    spot = Spot(change, at, placed)
    kind = look.type_of(change.field)
    if kind is None:
        yield from look.field_faults(change.field, spot, child(at, "field"))
    elif not isinstance(change.to, Computed):
        if change.to is not None and isinstance(read_value(kind, change.to), Fault):
            args: dict[str, str | int] = {"field": change.field, "type": kind}
            yield fault("form.type_mismatch", placed, child(at, "to"), **args)
    elif change.to.now and kind not in _NOW:
        where = child(child(at, "to"), "now")
        yield fault("form.type_mismatch", placed, where, field=change.field, type=kind)
    elif change.to.copy is not None:
        where = child(child(at, "to"), "copy")
        yield from look.field_faults(change.to.copy, spot, where, frozenset({kind}))
