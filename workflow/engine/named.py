"""People and departments that a form newly names: the organisation says whether they exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.forms.references import unknown

if TYPE_CHECKING:
    from workflow.engine.facts import Facts
    from workflow.forms.findings import Finding
    from workflow.forms.values import Cleaned


def unknown_named(facts: Facts, cleaned: Cleaned) -> tuple[Finding, ...]:
    """`form.unknown_person` and `form.unknown_department` for what does not exist.

    Somebody who was disabled is not newly named. Files are looked up where they are bound, in
    the command's transaction.
    """
    if not cleaned.given:
        return ()
    logins = [each.id for each in cleaned.people]
    people = {person.login for person in facts.people_by_login(logins) if person.active}
    departments = {each.id for each in cleaned.departments if facts.line_of_department(each.id)}
    return (
        *unknown(cleaned.people, people),
        *unknown(cleaned.departments, departments),
    )
