"""Process documents and forms for the tests of the format, and random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from workflow.forms.formdoc import Field, FormDoc, Option

if TYPE_CHECKING:
    from collections.abc import Sequence

BY_ROLE = {"any_of": [{"by": "role", "ids": ["managers"]}]}

FORM = FormDoc(
    formdoc=1,
    fields=(
        Field(id="days", type="integer", label="Days", required=True),
        Field(id="reason", type="text", label="Reason"),
        Field(id="amount", type="amount", label="Amount"),
        Field(id="when", type="date", label="When", required=True),
        Field(
            id="sort",
            type="choice",
            label="Sort",
            options=(Option(id="a", label="A"), Option(id="b", label="B")),
        ),
        Field(id="boss", type="user", label="Boss"),
        Field(id="unit", type="department", label="Unit"),
        Field(
            id="rows",
            type="table",
            label="Rows",
            columns=(Field(id="cost", type="amount", label="Cost"),),
        ),
        Field(id="paper", type="file", label="Paper"),
    ),
)


def flow(*steps: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A raw document with these steps."""
    return {"flowdoc": 1, "key": "leave", "name": "Leave", "steps": list(steps), **members}


def approve(step_id: str = "lead", **members: Any) -> dict[str, Any]:
    """A raw approval by a role."""
    return {"id": step_id, "kind": "approve", "name": step_id, "who": BY_ROLE, **members}


def a_step(step_id: str, kind: str, **members: Any) -> dict[str, Any]:
    """A raw step of any kind."""
    return {"id": step_id, "kind": kind, "name": step_id, **members}


def branch(branch_id: str, *steps: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A raw branch with these steps."""
    return {"id": branch_id, "name": branch_id, "steps": list(steps), **members}


def choice(
    step_id: str = "size",
    *,
    long: Sequence[dict[str, Any]] = (),
    short: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """A raw choice on the number of days, with what happens in its two branches."""
    when = {"field": "days", "op": "ge", "value": 3}
    branches = [
        branch(f"{step_id}_long", *long, when=when),
        branch(f"{step_id}_short", *short, otherwise=True),
    ]
    return a_step(step_id, "choice", branches=branches)


def both(step_id: str, *branches: list[Any], **members: Any) -> dict[str, Any]:
    """A raw parallel block with these branches."""
    named = [branch(f"{step_id}_{number}", *steps) for number, steps in enumerate(branches)]
    return a_step(step_id, "parallel", **{"join": "all", "branches": named, **members})


# Any JSON value, and some that only look like one.
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(), max_size=8)
    | st.sampled_from(["approve", "start", "\x00", "\ud800", "PT24H", "initiator"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["id", "kind", "steps", "who", "any_of", "by", "branches", "when", "x", "\ud800"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    """Raw documents that are valid whatever their tree looks like; ids are s1, s2 …"""
    counter = iter(range(1, 1000))

    def sequence(depth: int) -> list[dict[str, Any]]:
        return [one(depth) for _ in range(draw(st.integers(0, 3)))]

    def one(depth: int) -> dict[str, Any]:
        kinds = ["approve", "copy", "auto"]
        kind = draw(st.sampled_from(kinds if depth == 0 else [*kinds, "choice", "parallel"]))
        step_id = f"s{next(counter)}"
        if kind == "approve":
            return approve(step_id)
        if kind == "copy":
            return a_step(step_id, "copy", who=BY_ROLE)
        if kind == "auto":
            return a_step(step_id, "auto", verdict="approve")
        inner = [sequence(depth - 1) for _ in range(2)]
        if kind == "choice":
            return choice(step_id, long=inner[0], short=inner[1])
        return both(step_id, *inner)

    return flow(*sequence(2))
