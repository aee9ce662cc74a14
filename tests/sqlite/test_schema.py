"""The schema editor: what Django makes, alters and copies stays STRICT and keeps its rows."""

from __future__ import annotations

import pytest
from django.apps.registry import Apps
from django.db import IntegrityError, NotSupportedError, connection, models, transaction
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Length

from flowadmin.sqlite import inspection
from flowadmin.sqlite.schema import strict_type

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="asks the SQLite file"),
]


def _meta(registry, table):
    return type("Meta", (), {"app_label": "probe", "apps": registry, "db_table": table})


def _model(name, registry, /, **fields):
    body = {"__module__": __name__, "Meta": _meta(registry, f"probe_{name.lower()}"), **fields}
    return type(name, (models.Model,), body)


@pytest.fixture
def made():
    """Makes the tables of models of a registry of their own, and drops them afterwards."""
    registry, tables = Apps(), []

    def make(name, /, **fields):
        model = _model(name, registry, **fields)
        with connection.schema_editor() as editor:
            editor.create_model(model)
        tables.append(model)
        return model

    yield make
    with connection.schema_editor() as editor:
        for model in reversed(tables):
            editor.delete_model(model)


def _sql(table):
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
        return cursor.fetchone()[0]


def _refuses(model, message, **values):
    before = model.objects.count()
    with pytest.raises(IntegrityError, match=message), transaction.atomic():
        model.objects.create(**values)
    assert model.objects.count() == before


def test_altering_copies_the_table_strict_with_its_rows(made):
    thing = made("Thing", name=models.CharField(max_length=10), note=models.TextField(null=True))
    thing.objects.create(name="one", note=None)
    wider = models.TextField(default="", db_index=True)
    wider.set_attributes_from_name("note")

    with connection.schema_editor() as editor:
        editor.alter_field(thing, thing._meta.get_field("note"), wider)

    assert _sql("probe_thing").endswith("STRICT")
    assert "probe_thing" not in inspection.loose_tables(connection)
    assert list(thing.objects.values_list("name", "note")) == [("one", "")]


@pytest.mark.parametrize(
    "added",
    [
        models.BooleanField(default=True),
        models.DateTimeField(null=True),
        models.DecimalField(max_digits=9, decimal_places=2, null=True),
        models.PositiveIntegerField(default=3),
        models.UUIDField(null=True, unique=True),
        models.JSONField(default=dict),
    ],
    ids=lambda field: type(field).__name__,
)
def test_adding_and_removing_a_column_stays_strict(made, added):
    thing = made("Thing", name=models.CharField(max_length=10))
    thing.objects.create(name="one")
    fields = {"name": models.CharField(max_length=10), "extra": added.clone()}
    wider = _model("Thing", Apps(), **fields)
    field = wider._meta.get_field("extra")

    with connection.schema_editor() as editor:
        editor.add_field(thing, field)
    with_column = _sql("probe_thing")
    with connection.schema_editor() as editor:
        editor.remove_field(wider, field)

    assert with_column.endswith("STRICT")
    assert '"extra"' in with_column
    assert _sql("probe_thing").endswith("STRICT")
    assert '"extra"' not in _sql("probe_thing")
    assert thing.objects.get().name == "one"


def test_the_table_between_two_models_is_strict(made):
    part = made("Part", name=models.TextField())
    whole = made("Whole", parts=models.ManyToManyField(part, db_table="probe_whole_parts"))
    through = whole.parts.through
    pair = {"whole": whole.objects.create(), "part": part.objects.create(name="a")}
    through.objects.create(**pair)

    assert _sql("probe_whole_parts").endswith("STRICT")
    _refuses(through, "UNIQUE", **pair)


def test_a_missing_parent_is_refused(made):
    part = made("Part", name=models.TextField())
    child = made("Child", part=models.ForeignKey(part, models.CASCADE))

    _refuses(child, "FOREIGN KEY", part_id=99)


def test_bool_is_true_or_false(made):
    thing = made("Thing", flag=models.BooleanField(null=True))
    thing.objects.create(flag=None)

    with pytest.raises(IntegrityError, match="CHECK"), connection.cursor() as cursor:
        cursor.execute("INSERT INTO probe_thing (flag) VALUES (2)")

    assert [row.flag for row in thing.objects.all()] == [None]


def test_json_is_checked_and_may_be_absent(made):
    thing = made("Thing", payload=models.JSONField(null=True))
    thing.objects.create(payload=None)
    thing.objects.create(payload={"a": [1, "é"]})

    with pytest.raises(IntegrityError, match="CHECK"), connection.cursor() as cursor:
        cursor.execute("INSERT INTO probe_thing (payload) VALUES ('{')")

    assert [row.payload for row in thing.objects.order_by("id")] == [None, {"a": [1, "é"]}]


def test_a_generated_column_is_virtual_even_when_declared_stored(made):
    thing = made(
        "Thing",
        payload=models.JSONField(),
        retries=models.GeneratedField(
            expression=KeyTransform("retries", "payload"),
            output_field=models.IntegerField(null=True),
            db_persist=True,
        ),
        size=models.GeneratedField(
            expression=Length("payload"), output_field=models.IntegerField(), db_persist=False
        ),
    )
    for retries in (1, 4, 9):
        thing.objects.create(payload={"retries": retries})
    thing.objects.create(payload={})

    assert _sql("probe_thing").count("VIRTUAL") == 2
    assert "STORED" not in _sql("probe_thing")
    assert sorted(thing.objects.filter(retries__gt=3).values_list("retries", flat=True)) == [4, 9]
    assert thing.objects.filter(retries=None).count() == 1


def test_ids_count_on_without_a_table_of_their_own(made):
    thing = made("Thing", name=models.TextField())
    first, second = (thing.objects.create(name=name) for name in "ab")
    first.delete()

    assert second.pk == 2
    assert thing.objects.create(name="c").pk == 3
    assert "AUTOINCREMENT" not in _sql("probe_thing")


@pytest.mark.parametrize(
    ("declared", "strict"),
    [
        ("varchar(30)", "TEXT"),
        ("char(32)", "TEXT"),
        ("bigint unsigned", "INTEGER"),
        ("integer", "INTEGER"),
        ("bool", "INTEGER"),
        ("datetime", "TEXT"),
        ("date", "TEXT"),
        ("time", "TEXT"),
        ("decimal", "REAL"),
        ("double precision", "REAL"),
        ("BLOB", "BLOB"),
    ],
)
def test_types(declared, strict):
    assert strict_type(declared) == strict


def test_an_unknown_type_is_refused_by_name():
    with pytest.raises(NotSupportedError, match="geometry"):
        strict_type("geometry")
