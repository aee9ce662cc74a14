"""What a process names outside itself: secrets, retry schedules, rules and other processes."""

from __future__ import annotations

import json
import re
from ipaddress import ip_address
from typing import TYPE_CHECKING

from django.conf import settings

from rules.asking import has_version, newest_version
from workflow.engine.flowdoc.steps import HttpStep, RuleStep, SecretRef, SubflowStep, ValueOf
from workflow.engine.plan import walk
from workflow.engine.questions import Question, mentions
from workflow.forms.fields import typed
from workflow.forms.findings import Finding, child, printable
from workflow.forms.formdoc import field_named, fields_by_id
from workflow.forms.scalars import Fault
from workflow.models import Definition, Secret, Target, Version
from workflow.published import definition_of
from workflow.runtime.calls import SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workflow.engine.decision import Definition as Compiled
    from workflow.engine.flowdoc import EventPost, Flowdoc
    from workflow.engine.plan import PlanStep
    from workflow.forms.formdoc import Field, FormDoc

_HOST = re.compile(r"https?://(\[[^\]]*\]|[^/?#:]*)(?::([0-9]{1,5}))?(?:[/?#]|$)", re.IGNORECASE)
# What the installation's own list of reachable hosts decides, and not the text of the address.
_LIFTED = frozenset({"http.scheme", "http.private_host"})


def unknown_outside(tenant_id: int, doc: Flowdoc, form: FormDoc | None) -> Iterator[Finding]:
    """Everything that this tenant does not have, or that does not fit (approvals.md 3.2).

    `target.unknown` for secrets, targets of posts and retry schedules, `rule.unknown`,
    `rule.version_gone`, `subflow.unknown`, `.recursive`, `.input_type`, `.not_startable`; the
    warning `number.shared`.
    """
    steps = list(walk(doc))
    yield from _shared_number(tenant_id, doc)
    yield from _secrets(tenant_id, steps)
    yield from _targets(tenant_id, steps)
    for placed in steps:
        step = placed.step
        if isinstance(step, HttpStep) and step.retry not in {None, *SCHEDULES}:
            yield _unknown(placed, child(placed.at, "retry"), step.retry or "")
        elif isinstance(step, RuleStep):
            question = Question(step.rule.key, _pinned(step))
            at = child(placed.at, "rule")
            yield from _rule(placed, question, child(at, "key"), child(at, "version"))
        elif isinstance(step, SubflowStep):
            yield from _subflow(tenant_id, step, placed, doc, form)
        if placed.questions:
            for each in mentions(step, placed.at):
                yield from _rule(placed, each.question, each.at, each.version_at)


def reachable_after_all(doc: Flowdoc, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Without complaints about addresses that the installation lists as reachable.

    Source: approvals.md 3.2, http (https unless more is allowed); contract, Environment
    (FLOWADMIN_CALLBACK_ALLOW).
    """
    urls = dict(_addresses(walk(doc)))
    return tuple(
        finding
        for finding in findings
        if finding.code not in _LIFTED or not _is_listed(urls.get(finding.at, ""))
    )


def _addresses(steps: Iterable[PlanStep]) -> Iterator[tuple[str, str]]:
    """Where an address stands, and the address."""
    for placed in steps:
        if isinstance(placed.step, HttpStep):
            yield child(placed.at, "url"), placed.step.url
        for at, post in _posts(placed):
            if post.url is not None:
                yield child(at, "url"), post.url


def _posts(placed: PlanStep) -> Iterator[tuple[str, EventPost]]:
    for number, event in enumerate(placed.step.on_event):
        if event.post is not None:
            yield child(child(child(placed.at, "on_event"), number), "post"), event.post


def _is_listed(url: str) -> bool:
    found = _HOST.match(url)
    if found is None:
        return False
    host = found[1].strip("[]").lower()
    port = int(found[2]) if found[2] else 443 if url.lower().startswith("https") else 80
    try:
        address = ip_address(host)
    except ValueError:
        address = None
    for entry in settings.ENVIRONMENT.callback_allow:
        if entry.port not in {None, port}:
            continue
        if entry.host == host or (
            address is not None and entry.network is not None and address in entry.network
        ):
            return True
    return False


def _shared_number(tenant_id: int, doc: Flowdoc) -> Iterator[Finding]:
    """A prefix that another live process counts with too, as a copy does until it gets its own."""
    prefix = doc.number.prefix.rstrip("-")
    if not prefix:
        return
    # Documents are stored in one spelling, so only those with these letters need be read.
    letters = f'"prefix":{json.dumps(prefix, ensure_ascii=False)[:-1]}'
    rows = Definition.objects.filter(tenant=tenant_id, current__document__contains=letters)
    for name, text in rows.exclude(key=doc.key).values_list("name", "current__document"):
        number = json.loads(text).get("number") or {}
        same_period = number.get("period", "none") == doc.number.period
        if same_period and str(number.get("prefix", "")).rstrip("-") == prefix:
            args = {"flow": printable(name), "prefix": printable(prefix)}
            yield Finding("number.shared", "/number/prefix", None, "warning", args)
            return


def _secrets(tenant_id: int, steps: list[PlanStep]) -> Iterator[Finding]:
    named = [
        (placed, child(child(child(placed.at, "headers"), name), "secret"), value.secret)
        for placed in steps
        if isinstance(placed.step, HttpStep)
        for name, value in placed.step.headers.items()
        if isinstance(value, SecretRef)
    ]
    keys = {key for _placed, _at, key in named}
    rows = Secret.objects.filter(tenant=tenant_id, key__in=keys) if keys else Secret.objects.none()
    known = set(rows.values_list("key", flat=True))
    yield from (_unknown(placed, at, key) for placed, at, key in named if key not in known)


def _targets(tenant_id: int, steps: list[PlanStep]) -> Iterator[Finding]:
    named = [
        (placed, child(at, "target"), post.target)
        for placed in steps
        for at, post in _posts(placed)
        if post.target is not None
    ]
    keys = {key for _placed, _at, key in named}
    rows = Target.objects.filter(tenant=tenant_id, key__in=keys) if keys else Target.objects.none()
    known = set(rows.values_list("key", flat=True))
    yield from (_unknown(placed, at, key) for placed, at, key in named if key not in known)


def _unknown(placed: PlanStep, at: str, key: str) -> Finding:
    return Finding("target.unknown", at, placed.id, args={"target": printable(key)})


def _pinned(step: RuleStep) -> int:
    return step.rule.version if isinstance(step.rule.version, int) else 0


def _rule(placed: PlanStep, question: Question, at: str, version_at: str) -> Iterator[Finding]:
    application, _slash, chain_id = question.rule.partition("/")
    if has_version(application, chain_id, question.pinned or None):
        return
    known = newest_version(application, chain_id) > 0
    code = "rule.version_gone" if known else "rule.unknown"
    where = version_at if known else at
    yield Finding(code, where, placed.id, args={"rule": printable(question.rule)})


# Other processes ------------------------------------------------------------------------------


def _subflow(
    tenant_id: int, step: SubflowStep, placed: PlanStep, doc: Flowdoc, form: FormDoc | None
) -> Iterator[Finding]:
    at = child(placed.at, "flow")
    if step.flow == doc.key:
        # The document alone says so (`subflow.recursive`).
        return
    other = _published(tenant_id, step)
    if other is None:
        where = at if isinstance(step.version, str) else child(placed.at, "version")
        yield Finding("subflow.unknown", where, placed.id, args={"flow": step.flow})
        return
    if _leads_to(tenant_id, other, doc.key):
        yield Finding("subflow.recursive", at, placed.id, args={"flow": step.flow})
    yield from _input(step, placed, form, other)
    theirs = other.form
    for name, value in step.output.items():
        if theirs is None or field_named(theirs, value) is None or "." in value:
            where = child(child(placed.at, "output"), name)
            yield Finding("subflow.input_type", where, placed.id, args={"field": printable(value)})


def _published(tenant_id: int, step: SubflowStep) -> Compiled | None:
    if isinstance(step.version, int):
        versions = Version.objects.filter(
            tenant=tenant_id, definition__key=step.flow, number=step.version
        )
        found = versions.values_list("id", flat=True).first()
    else:
        current = Definition.objects.filter(tenant=tenant_id, key=step.flow)
        found = current.values_list("current_id", flat=True).first()
    return None if found is None else definition_of(found)


def _leads_to(tenant_id: int, start: Compiled, key: str) -> bool:
    """Whether a process comes to start `key`, itself or through others, as they are published."""
    seen: set[tuple[str, object]] = set()
    waiting = [start]
    while waiting:
        for each in walk(waiting.pop().plan.doc):
            step = each.step
            if not isinstance(step, SubflowStep) or (step.flow, step.version) in seen:
                continue
            if step.flow == key:
                return True
            seen.add((step.flow, step.version))
            other = _published(tenant_id, step)
            if other is not None:
                waiting.append(other)
    return False


def _input(
    step: SubflowStep, placed: PlanStep, form: FormDoc | None, other: Compiled
) -> Iterator[Finding]:
    theirs = {} if other.form is None else fields_by_id(other.form)
    rights = other.start_rights()
    for name, value in step.input.items():
        field = theirs.get(name)
        fits = field is not None and rights[name] in {"edit", "must"}
        if field is None or not fits or not _fits(step, form, field, value):
            at = child(child(placed.at, "input"), name)
            yield Finding("subflow.input_type", at, placed.id, args={"field": printable(name)})
    for field in theirs.values():
        if field.id not in step.input and _is_needed(field, rights[field.id]):
            at = child(placed.at, "input")
            yield Finding("subflow.not_startable", at, placed.id, args={"flow": step.flow})
            return


def _is_needed(field: Field, right: str) -> bool:
    if field.default is not None or field.sum_of or field.show_if is not None:
        return False
    return right == "must" or (field.required and right == "edit")


def _fits(step: SubflowStep, form: FormDoc | None, field: Field, value: object) -> bool:
    """Whether what is handed in can be a value there; a variable's type is known only later."""
    if not isinstance(value, ValueOf):
        return not isinstance(typed(field, value), Fault)
    if value.field is None:
        return True
    ours = None if form is None else field_named(form, value.field)
    if ours is None:
        # Reported with all other references to fields.
        return True
    if step.each is not None and step.each.field == value.field:
        kinds = {"table": set(), "multi_choice": {"choice", "text"}, "user": {"user", "text"}}
        return field.type in kinds.get(ours.type, {ours.type})
    texts = {"text", "long_text"}
    return (
        field.type == ours.type
        or {field.type, ours.type} <= texts
        or (field.type in texts and ours.type in {"choice", "user", "department", "date"})
    )
