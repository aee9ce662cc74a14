"""Who besides its participants may see a request: the process' managers, the own department."""

from __future__ import annotations

import pytest

from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem
from tests.builders import a_department, a_person, a_role
from tests.workflow import flows
from workflow import access
from workflow.reading import reading_of

HIDDEN = {"default": "edit", "set": {"secret": "hide"}}


def filed(ann, now, **members):
    document = flows.a_document(flows.approve_step("lead", "bao"), **members)
    flows.publish(ann, document, now=now)
    return flows.start(ann, now=now, reason="Train")


def managers(*sources, **members):
    return {"policy": {"visibility": "managers"}, "managers": {"any_of": list(sources)} | members}


def sees(user, instance):
    """In the lists and alone, the same answer."""
    user = User.objects.get(pk=user.pk)
    listed = access.visible_instances(user).filter(pk=instance.pk).exists()
    assert access.may_read(user, instance.pk) is listed
    return listed


@pytest.fixture
def gus(demo_tenant):
    return a_person(demo_tenant, "gus")


def test_by_default_only_participants_see_it(ann, bao, gus, eve, now):
    instance = filed(ann, now, managers={"any_of": [{"by": "user", "ids": ["gus"]}]})
    gus.department = ann.department
    gus.save()
    assert sees(ann, instance)
    assert sees(bao, instance)
    assert not sees(gus, instance)
    assert not sees(eve, instance)


def test_the_department_of_whoever_filed_it(ann, bao, gus, eve, demo_tenant, now):
    start = {"fields": HIDDEN}
    instance = filed(ann, now, policy={"visibility": "starters_department"}, start=start)
    assert not sees(gus, instance)
    gus.department = ann.department
    gus.save()
    assert sees(gus, instance)
    assert sees(bao, instance)
    assert not sees(eve, instance)
    # A colleague reads what the initiator reads.
    reading = reading_of(gus, access.instance(gus, instance.pk))
    assert set(reading.values()) == {"amount", "reason"}
    assert not reading.shows("secret")
    gus.department = a_department(demo_tenant, parent=ann.department)
    gus.save()
    assert not sees(gus, instance)
    with pytest.raises(Problem):
        access.instance(User.objects.get(pk=gus.pk), instance.pk)


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ({"by": "user", "ids": ["gus"]}, True),
        ({"by": "user", "ids": ["dan"]}, False),
        ({"by": "role", "ids": ["auditing"]}, True),
        ({"by": "role", "ids": ["auditing"], "within": "initiator_department"}, False),
        ({"by": "role", "ids": ["auditing"], "within": "same_branch"}, True),
        ({"by": "department", "ids": ["top"]}, True),
        ({"by": "department", "ids": ["over"]}, False),
        ({"by": "department", "ids": ["over"], "deep": True}, True),
        ({"by": "head", "level": 0}, True),
        ({"by": "head", "level": 0, "missing": "none"}, False),
        ({"by": "head", "level": 1, "missing": "none"}, True),
        ({"by": "head", "level": 2}, False),
        ({"by": "manager", "level": 1}, True),
    ],
)
def test_the_managers_of_the_process(demo_tenant, ann, gus, now, source, seen):
    over = a_department(demo_tenant, "over")
    top = a_department(demo_tenant, "top", parent=over, head=gus)
    ann.department, ann.manager = a_department(demo_tenant, "low", parent=top), gus
    ann.save()
    gus.department = top
    gus.save()
    a_role(demo_tenant, "auditing", members=[gus])
    instance = filed(ann, now, **managers(source))
    assert sees(gus, instance) is seen


def test_a_manager_reads_everything_and_whoever_is_left_out_nothing(ann, gus, chi, now):
    lead = flows.approve_step("lead", "bao", fields=HIDDEN)
    named = {"by": "user", "ids": ["gus", "chi"]}
    out = {"by": "user", "ids": ["chi"]}
    document = flows.a_document(lead, **managers(named, without=[out]))
    flows.publish(ann, document, now=now)
    instance = flows.start(ann, now=now, secret="xyz")
    assert sees(gus, instance)
    assert not sees(chi, instance)
    reading = reading_of(gus, access.instance(gus, instance.pk))
    assert reading.sees_all
    assert reading.values()["secret"] == "xyz"
