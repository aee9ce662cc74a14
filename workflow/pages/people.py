"""Fields in which a page asks for people: a list where they are few, login names elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models import User
from workflow.pages.controls import MOST_BOXES, Boxes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# More people than that are not put into a page; one types a login name.
MOST_LISTED = 200
# Spaces, commas and semicolons, also the wide ones of Chinese.
_BETWEEN = re.compile(r"[\s,;\uff0c\uff1b\u3001]+")


@dataclass(frozen=True, slots=True)
class Offered:
    """Who may be chosen: names by login; None when they are too many to be listed."""

    names: Mapping[str, str] | None = field(default_factory=dict)


def everybody(user: User, *, without: Collection[int] = ()) -> Offered:
    """The active people of the reader's tenant, in the order of their names."""
    rows = User.objects.for_tenant(user.tenant_id).filter(is_active=True)
    found = rows.order_by("name", "login").values_list("pk", "login", "name")
    listed = list(found[: MOST_LISTED + 1])
    if len(listed) > MOST_LISTED:
        return Offered(None)
    return Offered({login: name for pk, login, name in listed if pk not in without})


class PersonField(forms.CharField):
    """One person, by login name; whether there is such a person is the engine's to say."""

    def __init__(self, offered: Offered, **options: Any) -> None:
        own: dict[str, Any] = {"max_length": 254}
        if offered.names is None:
            own["widget"] = forms.TextInput(attrs={"autocomplete": "off"})
            own["help_text"] = _("By login name.")
        else:
            choices = [("", _("Choose …")), *offered.names.items()]
            own["widget"] = forms.Select(choices=choices)
        super().__init__(**own | options)


class PeopleField(forms.Field):
    """Several people; the value is a tuple of login names, as REST would have received them."""

    def __init__(self, offered: Offered, **options: Any) -> None:
        widget: forms.Widget = forms.Textarea(attrs={"rows": 2, "autocomplete": "off"})
        if offered.names is not None:
            choices = list(offered.names.items())
            if len(choices) <= MOST_BOXES:
                widget = Boxes(choices=choices)
            else:
                widget = forms.SelectMultiple(choices=choices, attrs={"size": 6})
        elif not options.get("help_text"):
            options["help_text"] = _("By login name.")
        super().__init__(**{"widget": widget} | options)

    def to_python(self, value: object) -> tuple[str, ...]:
        """Raises ValidationError for a NUL, which no database takes."""
        if isinstance(value, list | tuple):
            found = tuple(str(each) for each in value if each)
        else:
            found = tuple(each for each in _BETWEEN.split(str(value or "")) if each)
        if any("\x00" in each for each in found):
            raise ValidationError(_("There is no such active person."), code="person.unknown")
        return found
