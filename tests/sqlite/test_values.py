"""Values of every kind pass through STRICT tables unharmed, and queries understand them."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest
from django.apps.registry import Apps
from django.core.management.color import no_style
from django.db import connection, models
from django.db.models import F, Max, Sum
from django.db.models.functions import Cast, ExtractYear, Now, TruncDay

# On every database: SQLite must give what the others give.
pytestmark = pytest.mark.django_db(transaction=True)

MOMENT = datetime(2026, 3, 1, 23, 30, 0, 123456, tzinfo=UTC)
VALUES = {
    "flag": True,
    "number": 2**62,
    "small": 7,
    "real": 0.1,
    "amount": Decimal("1234567.89"),
    "name": "北京 'quoted' % _",
    "moment": MOMENT,
    "day": date(2024, 2, 29),
    "hour": time(8, 15, 0, 5),
    "span": timedelta(days=400, microseconds=1),
    "key": uuid.UUID("12345678123456781234567812345678"),
    "payload": {"list": [1, {"deep": "x"}], "none": None},
    "raw": b"\x00\xff",
    "address": "2001:db8::1",
}


@pytest.fixture
def kind():
    class Kind(models.Model):
        flag = models.BooleanField()
        number = models.BigIntegerField(null=True)
        small = models.PositiveSmallIntegerField()
        real = models.FloatField()
        amount = models.DecimalField(max_digits=12, decimal_places=2)
        name = models.CharField(max_length=50)
        moment = models.DateTimeField()
        day = models.DateField()
        hour = models.TimeField()
        span = models.DurationField()
        key = models.UUIDField(unique=True)
        payload = models.JSONField(null=True)
        raw = models.BinaryField()
        address = models.GenericIPAddressField()

        class Meta:
            app_label = "probe"
            apps = Apps()

        def __str__(self):
            return self.name

    with connection.schema_editor() as editor:
        editor.create_model(Kind)
    yield Kind
    with connection.schema_editor() as editor:
        editor.delete_model(Kind)


@pytest.fixture
def stored(kind):
    return kind.objects.create(**VALUES)


def test_every_kind_of_value_comes_back_as_it_was(kind, stored):
    row = kind.objects.get(pk=stored.pk)

    assert {name: getattr(row, name) for name in VALUES} == VALUES
    assert row.moment.utcoffset() == timedelta(0)
    assert kind.objects.values_list(*VALUES).get() == tuple(VALUES.values())


@pytest.mark.parametrize("name", [name for name in VALUES if name not in {"payload", "raw"}])
def test_every_kind_of_value_is_found_by_itself(kind, stored, name):
    assert kind.objects.get(**{name: VALUES[name]}) == stored


def test_arithmetic_stays_in_its_type(kind, stored):
    kind.objects.update(small=F("small") + 1, amount=F("amount") * 2, flag=False)

    stored.refresh_from_db()
    assert (stored.small, stored.flag) == (8, False)
    assert stored.amount == Decimal("2469135.78")
    assert kind.objects.aggregate(sum=Sum("amount"))["sum"] == Decimal("2469135.78")


def test_times_compare_and_break_down(kind, stored):
    found = kind.objects.filter(moment__lt=MOMENT + timedelta(microseconds=1))

    assert found.filter(moment__gte=MOMENT).count() == 1
    assert kind.objects.filter(moment__date=date(2026, 3, 1)).count() == 1
    assert kind.objects.filter(moment__lt=Now()).count() in {0, 1}
    assert kind.objects.aggregate(last=Max("moment"))["last"] == MOMENT
    row = kind.objects.annotate(
        year=ExtractYear("moment"),
        start=TruncDay("moment"),
        as_date=Cast("moment", models.DateField()),
        later=models.ExpressionWrapper(
            F("moment") + timedelta(hours=1), output_field=models.DateTimeField()
        ),
    ).get()
    assert row.year == 2026
    assert row.start == MOMENT.replace(hour=0, minute=0, second=0, microsecond=0)
    assert row.as_date == date(2026, 3, 1)
    assert row.later == MOMENT + timedelta(hours=1)


def test_whole_seconds_sort_before_their_fractions(kind):
    whole = MOMENT.replace(microsecond=0)
    for number, moment in enumerate([MOMENT, whole, whole + timedelta(seconds=1)]):
        kind.objects.create(**{**VALUES, "moment": moment, "key": uuid.UUID(int=number)})

    ordered = list(kind.objects.order_by("moment").values_list("moment", flat=True))

    assert ordered == [whole, MOMENT, whole + timedelta(seconds=1)]


def test_json_is_searched_by_key(kind, stored):
    assert kind.objects.filter(payload__list__1__deep="x").get() == stored
    assert kind.objects.filter(payload__none=None).get() == stored
    assert not kind.objects.filter(payload__list__0=2).exists()
    assert kind.objects.values_list("payload__list__0", flat=True).get() == 1


def test_conflicts_update_or_are_ignored(kind, stored):
    again = kind(**{**VALUES, "name": "again"})

    kind.objects.bulk_create([again], ignore_conflicts=True)
    assert kind.objects.get().name == VALUES["name"]

    key = {} if connection.vendor == "mysql" else {"unique_fields": ["key"]}
    kind.objects.bulk_create([again], update_conflicts=True, update_fields=["name"], **key)
    assert kind.objects.get().name == "again"


def test_an_empty_table_starts_at_one_again(kind, stored):
    statements = connection.ops.sql_flush(no_style(), [kind._meta.db_table], reset_sequences=True)
    connection.ops.execute_sql_flush(statements)

    assert kind.objects.create(**VALUES).pk == 1
