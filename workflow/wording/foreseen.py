"""The way ahead of a request in the reader's language: steps, people, reasons, unknowns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from workflow.engine.plan import START
from workflow.wording.choosing import (
    TITLED,
    chosen_text,
    dropped_text,
    is_unseen,
    when_empty_text,
)
from workflow.wording.editing import mark_text
from workflow.wording.explanation import Said
from workflow.wording.reasons import field_label, is_hidden, leaf_text
from workflow.wording.states import with_mode
from workflow.wording.values import named_in_leaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from django_stubs_ext import StrOrPromise

    from workflow.engine.events import Chosen, Leaf
    from workflow.engine.foreseen import (
        Depends,
        Foreseen,
        ForeseenBranch,
        Passing,
        Unknowable,
    )
    from workflow.engine.future import Mark
    from workflow.forms.formdoc import FormDoc
    from workflow.wording.following import Reader

_ENDS: dict[str, StrOrPromise] = {
    "approved": gettext_lazy("The request ends here as approved"),
    "rejected": gettext_lazy("The request ends here as rejected"),
    "cancelled": gettext_lazy("The request ends here as withdrawn"),
    "branch": gettext_lazy("This branch ends here as rejected"),
    "held": gettext_lazy("The request would wait here until a manager helps"),
    "refused": gettext_lazy("Nobody is found for this step, so the request cannot be filed"),
    "returned": gettext_lazy("The request goes back to an earlier step here"),
}
_PASSES: dict[tuple[str, bool], StrOrPromise] = {
    ("self", True): gettext_lazy("Passes by itself for %(person)s, who files the request"),
    ("self", False): gettext_lazy(
        "Passes by itself for %(person)s, who files the request, if the lot falls there"
    ),
    ("earlier", True): gettext_lazy(
        "Passes by itself for %(person)s, who decides in “%(step)s” already, unless the form "
        "changes"
    ),
    ("earlier", False): gettext_lazy(
        "Passes by itself for %(person)s after an approval in “%(step)s”"
    ),
    ("later", True): gettext_lazy("Passes by itself for %(person)s, whom “%(step)s” asks later"),
    ("later", False): gettext_lazy(
        "May pass by itself for %(person)s, whom “%(step)s” may ask later"
    ),
}
_GOTO: dict[bool | None, StrOrPromise] = {
    True: gettext_lazy("Goes back to “%(step)s”"),
    None: gettext_lazy("May go back to “%(step)s”"),
    False: gettext_lazy("Does not go back to “%(step)s”"),
}


@dataclass(frozen=True, slots=True)
class ToldBranch:
    """A way through a block. ``taken`` is nothing when it depends on ``depends_on``."""

    id: str
    name: str
    taken: bool | None
    otherwise: bool
    questions: tuple[Said, ...]
    depends_on: tuple[Said, ...]
    steps: tuple[ToldStep, ...]


@dataclass(frozen=True, slots=True)
class ToldStep:
    """A step ahead in words; the members are those of Foreseen.

    ``who`` are the people in one line with how they decide; ``other`` of a person is whom he
    stands in for.
    """

    step: str
    kind: str
    name: str
    sure: bool
    now: bool
    mode: str
    who: str
    people: tuple[Said, ...]
    left_out: tuple[Said, ...]
    passes: tuple[Said, ...]
    unknown: tuple[Said, ...]
    rule: Said | None
    ends: Said | None
    goto: Said | None
    taken: bool | None
    questions: tuple[Said, ...]
    depends_on: tuple[Said, ...]
    branches: tuple[ToldBranch, ...]
    # The step was put in, or asks other people, for this request alone.
    edited: Said | None = None


def tell(steps: Iterable[Foreseen], reader: Reader) -> tuple[ToldStep, ...]:
    """The way ahead for this reader, in the active language (approvals.md 5, idea 2).

    Of a field that the reader may not see neither name nor value is told.
    """
    return tuple(_step(each, reader) for each in steps)


def mark_edited(steps: Iterable[ToldStep], marks: Mapping[str, Mark]) -> tuple[ToldStep, ...]:
    """The same steps; those that were edited for this request alone say so."""
    return tuple(
        replace(
            each,
            edited=Said(f"edited.{marks[each.step]}", mark_text(marks[each.step]))
            if each.step in marks
            else None,
            branches=tuple(
                replace(branch, steps=mark_edited(branch.steps, marks)) for branch in each.branches
            ),
        )
        for each in steps
    )


def count_sure(steps: Iterable[ToldStep]) -> int:
    """How many steps surely come, those inside blocks included and blocks themselves not."""
    return sum(
        (each.sure and not each.branches and each.kind != "goto")
        + sum(count_sure(branch.steps) for branch in each.branches)
        for each in steps
    )


def people_in(steps: Iterable[Foreseen]) -> Iterator[int]:
    """The people (by number) whose names `tell` will ask for."""
    for each in _all(steps):
        for why in each.people:
            yield why.user
            yield why.instead_of
        yield from (dropped.user for dropped in each.dropped)


def titles_in(steps: Iterable[Foreseen], form: FormDoc | None) -> Iterator[tuple[str, str]]:
    """The (kind, code) whose titles `tell` will ask for; ``form`` says what its values name."""
    for each in _all(steps):
        for why in each.people:
            yield from _titles_of(why)
        leaves = (*each.leaves, *(leaf for branch in each.branches for leaf in branch.leaves))
        yield from named_in_leaves(form, leaves)


def _titles_of(why: Chosen) -> Iterator[tuple[str, str]]:
    kind = TITLED.get(why.by)
    if kind is not None:
        yield from ((kind, code) for code in why.of.split(", ") if code)


def _all(steps: Iterable[Foreseen]) -> Iterator[Foreseen]:
    for each in steps:
        yield each
        for branch in each.branches:
            yield from _all(branch.steps)


def _step(each: Foreseen, reader: Reader) -> ToldStep:
    names = reader.people(why.user for why in each.people)
    return ToldStep(
        step=each.step,
        kind=each.kind,
        name=reader.step(each.step),
        sure=each.sure,
        now=each.now,
        mode=each.mode,
        who=_with_mode(names, each.mode, len(each.people)),
        people=tuple(_chosen(why, each, reader) for why in each.people),
        left_out=tuple(
            Said(out.why, dropped_text(out, reader), person=out.user) for out in each.dropped
        ),
        passes=tuple(_passing(one, reader) for one in each.passes),
        unknown=tuple(_unknown(one, reader) for one in each.unknown),
        rule=_rule(each),
        ends=Said(each.ends, str(_ENDS[each.ends])) if each.ends else None,
        goto=_goto(each, reader),
        taken=each.taken,
        questions=tuple(_question(leaf, reader) for leaf in each.leaves),
        depends_on=tuple(_depends(one, reader) for one in each.depends_on),
        branches=tuple(_branch(one, reader) for one in each.branches),
    )


def _branch(branch: ForeseenBranch, reader: Reader) -> ToldBranch:
    return ToldBranch(
        id=branch.id,
        name=branch.name,
        taken=branch.taken,
        otherwise=branch.otherwise,
        questions=tuple(_question(leaf, reader) for leaf in branch.leaves),
        depends_on=tuple(_depends(one, reader) for one in branch.depends_on),
        steps=tell(branch.steps, reader),
    )


def _with_mode(names: str, mode: str, count: int) -> str:
    if mode != "draw":
        return with_mode(names, mode, count)
    text = ngettext(
        "%(text)s (one of %(count)d, by lot)", "%(text)s (one of %(count)d, by lot)", count
    )
    return text % {"text": names, "count": count}


def _chosen(why: Chosen, each: Foreseen, reader: Reader) -> Said:
    planned = reader.definition.plan.steps.get(each.step)
    step = planned.step if planned is not None else None
    args = {"hidden": True} if is_unseen(why, step, reader) else {"of": why.of} if why.of else {}
    text = chosen_text(why, step, reader)
    return Said(why.by, text, person=why.user, other=why.instead_of, args=args)


def _passing(one: Passing, reader: Reader) -> Said:
    text = str(_PASSES[one.why, one.sure])
    args: dict[str, object] = {"sure": one.sure}
    if one.of:
        args["step"] = one.of
    message = text % {"person": reader.person(one.user), "step": reader.step(one.of)}
    return Said(one.why, message, person=one.user, args=args)


def _rule(each: Foreseen) -> Said | None:
    """What the empty rule does; what it cannot help with is told by the end."""
    if not each.when_empty or each.ends in {"held", "refused"}:
        return None
    return Said(f"empty.{each.when_empty}", when_empty_text(each.when_empty))


def _goto(each: Foreseen, reader: Reader) -> Said | None:
    if not each.to:
        return None
    code = {True: "goto_taken", False: "goto_not_taken", None: "goto_open"}[each.taken]
    message = str(_GOTO[each.taken]) % {"step": reader.step(each.to)}
    return Said(code, message, args={"step": each.to})


def _unknown(one: Unknowable, reader: Reader) -> Said:
    match one.why:
        case "form":
            return _on_field(one.of, reader)
        case "pick" if one.of == START:
            return Said("pick", _("People are chosen when the request is filed"))
        case "pick":
            text = _("People are chosen in “%(step)s”") % {"step": reader.step(one.of)}
            return Said("pick", text, args={"step": one.of})
        case "decider":
            text = _("Depends on who decides “%(step)s”") % {"step": reader.step(one.of)}
            return Said("decider", text, args={"step": one.of})
        case _:
            text = _("Depends on the rule %(rule)s") % {"rule": one.of}
            return Said("rule", text, args={"rule": one.of})


def _depends(one: Depends, reader: Reader) -> Said:
    if one.kind == "field":
        return _on_field(one.of, reader)
    if one.kind == "step":
        text = _("Depends on how “%(step)s” ends") % {"step": reader.step(one.of)}
        return Said("step", text, args={"step": one.of})
    text = _("Depends on the rule %(rule)s") % {"rule": one.of}
    return Said("rule", text, args={"rule": one.of})


def _on_field(name: str, reader: Reader) -> Said:
    if not reader.shows_field(name):
        text = _("Depends on a field that you may not see")
        return Said("form", text, args={"hidden": True})
    label = field_label(reader.definition, name, reader.language)
    text = _("Depends on the field “%(field)s”") % {"field": label}
    return Said("form", text, args={"field": name})


def _question(leaf: Leaf, reader: Reader) -> Said:
    message = leaf_text(
        leaf, reader.definition, reader.shows_field, reader.language, reader.titles
    )
    if is_hidden(leaf, reader.shows_field):
        return Said("field", message, args={"hidden": True})
    names = ("asked", "op", "expected", "seen", "held", "no_value")
    args = {name: getattr(leaf, name) for name in names}
    return Said(leaf.kind, message, args=args | ({"denied": True} if leaf.denied else {}))
