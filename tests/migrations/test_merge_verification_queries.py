"""P23: the seed's two questions, as it writes them."""

from __future__ import annotations

import json

from django.core.management import CommandError
from django.db import connection

from notifications.legacy import counting
from notifications.models import Callback


def counts(older):
    """What the command counts, and whether it says that all is moved."""
    code = 0
    try:
        older.merge("--check", "--json")
    except CommandError as refused:
        code = refused.returncode
    told = json.loads(older.said())
    return told["watches"], told["attempts"], told["others"], code == 0


def test_both_counts_fall_to_nothing(older):
    assert counts(older) == (5, 8, 8, False)
    older.merge()
    assert counts(older) == (0, 0, 0, True)
    if connection.vendor == "mysql":
        for question in (counting.WATCHES, counting.ATTEMPTS):
            assert older.run(question) == ((0,),)
    # What is missing afterwards is counted.
    Callback.objects.filter(pk=402).update(history=[])
    assert counts(older) == (0, 2, 0, False)
    older.merge()
    assert counts(older) == (0, 0, 0, True)


def test_a_number_is_not_the_id(older):
    """MySQL's JSON_SEARCH looks at strings alone; so do the questions in portable form."""
    number_is_found = connection.vendor == "mysql"  # by MariaDB, other than by MySQL
    older.merge()
    row = Callback.objects.get(pk=403)
    row.history[0]["id"] = 506
    row.save(update_fields=["history"])
    assert counts(older)[:2] == (0, 0 if number_is_found else 1)


def test_hosts_to_be_allowed_are_listed(older):
    """P18, P38; what was delivered needs nothing any more."""
    said = older.merge()
    assert all(f"  {each}  " in said for each in ("10.1.2.3", "erp", "intranet.example:8080"))
    assert "intranet.example  " not in said
    told = json.loads(older.merge("--check", "--json"))["hosts"]
    assert {each["place"]: (each["rows"], each["private"]) for each in told} == {
        "10.1.2.3": (1, True),
        "erp": (2, True),
        "intranet.example:8080": (1, False),
    }
