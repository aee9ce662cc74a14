"""flowlong: conditions, rejections, deadlines, and the nodes that nobody decides."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workflow.forms.findings import child, printable
from workflow.importing.blocks import any_of_all
from workflow.importing.naming import slug

if TYPE_CHECKING:
    from workflow.importing.desk import Desk, Part
    from workflow.importing.ledger import Source

_OPERATORS = {"==": "eq", "!=": "ne", ">": "gt", ">=": "ge", "<": "lt", "<=": "le"}
_SELF = {0: "allow", 1: "skip", 2: "head", 3: "head"}
_UNIT = {"d": 86400, "h": 3600, "m": 60}
_SPAN = re.compile(r"([0-9]{1,6}):([dhm])")
# Stands in a document that is refused anyway: its place may be looked at further.
_NO_ADDRESS = "https://example.com/"
_CLOCK = re.compile(r"([0-9]{1,4}):([0-9]{1,2}):([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class Previous:
    """The step that people decided last on the way to here.

    `step` is its id, None at the start; `sure` is false behind a block in which something was
    decided: which step that was, only a running request knows.
    """

    step: str | None = None
    sure: bool = True

    def after_block(self, branches: list[Part]) -> Previous:
        """Behind a block with these branches."""
        inside = any(_is_decided(step) for one in branches for step in one["steps"])
        return Previous(self.step, sure=False) if inside else self

    @property
    def target(self) -> str | Part:
        """Where a rejection leads that goes back to this step."""
        return "start" if self.step is None else {"step": self.step}


def condition(desk: Desk, header: Source) -> Part | None:
    """The condition of a branch: the outer list is "or", each inner one "and"; None when empty."""
    mode = header.whole("conditionMode")
    if mode not in (None, 1):
        desk.unknown(header, "conditionMode", mode)
    groups: list[list[Part]] = []
    at = header.place("conditionList")
    for number, group in enumerate(header.listed("conditionList")):
        where = child(at, number)
        if not isinstance(group, list) or not group:
            desk.error("import.bad_type", where, expected="list")
            continue
        groups.append(_group(desk, header, group, where))
    made = any_of_all(groups)
    return None if made is None else desk.made(made, at)


def _group(desk: Desk, header: Source, group: list[Any], at: str) -> list[Part]:
    leaves: list[Part] = []
    for number, raw in enumerate(group):
        where = child(at, number)
        if not isinstance(raw, dict):
            desk.error("import.bad_type", where, expected="object")
            continue
        leaf = _leaf(desk, header.ledger.wrap(raw, where))
        if leaf is not None:
            leaves.append(leaf)
    return leaves


def _leaf(desk: Desk, leaf: Source) -> Part | None:
    """One comparison. `type` says where the value comes from; both kinds become fields."""
    kind = leaf.text("type")
    if kind not in {"", "custom", "form"}:
        desk.unknown(leaf, "type", kind)
    name, value, label = leaf.text("field"), leaf.text("value"), leaf.text("label")
    operator = leaf.text("operator").lower()
    if not name:
        desk.error("import.no_field", leaf.place("field"))
        return None
    if operator in _OPERATORS:
        return desk.made(
            desk.fields.leaf(name, _OPERATORS[operator], value, label=label, at=leaf.at), leaf.at
        )
    if operator in {"include", "notinclude"}:
        made = desk.made(
            desk.fields.leaf(name, "contains", value, label=label, at=leaf.at), leaf.at
        )
        return made if operator == "include" else {"not": made}
    desk.unknown(leaf, "operator", operator)
    return None


def approval(desk: Desk, node: Source, previous: Previous) -> Part:
    """What an approval has beside its people: rejection, self rule, deadline, acts."""
    acts, reject = _acts(node), _reject(desk, node, previous)
    if reject["then"].get("to") == "ask":
        acts["return_to"] = "any"
    own = node.whole("approveSelf") or 0
    if own not in _SELF:
        desk.unknown(node, "approveSelf", own)
    elif own == 2:
        desk.warn("import.superior_is_head", node.place("approveSelf"))
    parts: Part = {"reject": reject, "on_self": _SELF.get(own, "allow")}
    deadline = _deadline(desk, node)
    if acts:
        parts["acts"] = acts
    if deadline is not None:
        parts["deadline"] = deadline
    return parts


def _acts(node: Source) -> Part:
    acts: Part = {}
    if node.flag("allowTransfer"):
        acts["transfer"] = True
    if node.flag("allowAppendNode"):
        acts |= {"add_before": True, "add_after": True, "remove_added": True}
    if node.flag("allowRollback"):
        acts["return_to"] = "any"
    if node.flag("allowCc"):
        acts["send_copy"] = True
    return acts


def _reject(desk: Desk, node: Source, previous: Previous) -> Part:
    """1 to the start, 2 (or nothing) to the step before, 3 asked, 4 the end, 5 the node above."""
    strategy = node.whole("rejectStrategy") or 2
    resume = node.whole("rejectStart") or 1
    if resume not in (1, 2):
        desk.unknown(node, "rejectStart", resume)
    back: Part = {"do": "back", "resume": "here" if resume == 2 else "forward"}
    match strategy:
        case 1:
            then = {**back, "to": "start"}
        case 2:
            then = {**back, "to": "previous"}
        case 3:
            then = {**back, "to": "ask"}
        case 4:
            then = {"do": "end"}
        case 5 if previous.sure:
            then = {**back, "to": previous.target}
        case _:
            desk.unknown(node, "rejectStrategy", strategy)
            then = {"do": "end"}
    return {"counts": "any_one", "then": then}


def _deadline(desk: Desk, node: Source) -> Part | None:
    """Hours until the step decides itself (`termAuto`), and one reminder (`remind`)."""
    reminder = _reminder(desk, node)
    hours = node.whole("term") or 0 if node.flag("termAuto") else 0
    if hours <= 0:
        if node.flag("termAuto"):
            desk.warn("import.deadline_without_time", node.place("termAuto"))
        return None if reminder is None else {"after": reminder}
    mode = node.whole("termMode")
    then = {0: "approve", 1: "reject"}.get(-1 if mode is None else mode)
    if then is None:
        desk.unknown(node, "termMode", mode)
    made: Part = {"after": f"PT{hours}H", "then": then or "none", "remind": []}
    if reminder is not None:
        made["remind"] = [{"after": reminder}]
    return desk.made(made, node.place("term"))


def _reminder(desk: Desk, node: Source) -> str | None:
    extra = extra_of(desk, node)
    if not node.flag("remind"):
        return None
    if extra is None or not extra.has("remindTime"):
        desk.warn("import.reminder_without_time", node.place("remind"))
        return None
    return _span(desk, extra, "remindTime")


def extra_of(desk: Desk, node: Source) -> Source | None:
    """`extendConfig`, with the rights on fields of a form that the file does not contain."""
    extra = node.object("extendConfig")
    if extra is None:
        return None
    if "formConfig" not in extra.seen:
        for each in extra.objects("formConfig"):
            field = printable(each.text("label") or each.text("id"))
            args = {"id": printable(each.text("id")), "right": printable(each.text("opera"))}
            desk.warn("import.right_left_out", each.at, field=field, **args)
    return extra


def subflow(desk: Desk, node: Source) -> list[Part]:
    """Type 5: `callProcess` is the key of the other process, or `row:name` of it."""
    called = node.text("callProcess")
    if not called:
        desk.error("import.no_subflow", node.place("callProcess"))
        return []
    key = called.partition(":")[0]
    flow = desk.people.flows.get(called) or desk.people.flows.get(key) or slug(key, "flow")
    desk.warn("import.subflow", node.place("callProcess"), flow=flow, called=printable(called))
    wait = None if not node.flag("callAsync") else False
    return [desk.step(node, "subflow", flow=flow, version="latest_at_entry", wait=wait)]


def delay(desk: Desk, node: Source) -> list[Part]:
    """Type 6: a pause of a fixed length."""
    kind = node.whole("delayType")
    if kind not in (None, 1):
        desk.unknown(node, "delayType", kind)
    extra = extra_of(desk, node)
    span = None if extra is None else _span(desk, extra, "time")
    if extra is None:
        desk.error("import.no_time", node.place("extendConfig"))
    return [desk.step(node, "delay", **{"for": span or "PT1M"})]


def trigger(desk: Desk, node: Source) -> list[Part]:
    """Type 7: a program of the other system; an https call where the mapping names its address."""
    kind = node.whole("triggerType") or 1
    if kind not in (1, 2):
        desk.unknown(node, "triggerType", kind)
    extra = extra_of(desk, node)
    program = "" if extra is None else extra.text("trigger")
    at = node.at if extra is None else extra.place("trigger")
    url = desk.people.triggers.get(program)
    if url is None:
        desk.error("import.program", at, program=printable(program))
    step = desk.step(node, "http", method="POST", url=url or _NO_ADDRESS, mode="need_2xx")
    if kind != 2 or extra is None:
        return [step]
    span = _span(desk, extra, "time")
    return [desk.step(node, "delay", **{"for": span or "PT1M"}), step]


def _span(desk: Desk, extra: Source, member: str) -> str | None:
    """`20:m` or `01:30:00` as a duration."""
    text = extra.text(member)
    found, clock = _SPAN.fullmatch(text), _CLOCK.fullmatch(text)
    seconds = 0
    if found is not None:
        seconds = int(found[1]) * _UNIT[found[2]]
    elif clock is not None:
        hours, minutes, rest = (int(part) for part in clock.groups())
        seconds = hours * 3600 + minutes * 60 + rest
    if seconds <= 0:
        desk.error("import.bad_time", extra.place(member), value=printable(text))
        return None
    return f"PT{seconds}S" if seconds % 60 else f"PT{seconds // 60}M"


def _is_decided(step: Part) -> bool:
    """Whether people decide in this step or in one inside it."""
    waiting = [step]
    while waiting:
        one = waiting.pop()
        if one["kind"] == "approve":
            return True
        waiting.extend(inner for branch in one.get("branches", ()) for inner in branch["steps"])
    return False
