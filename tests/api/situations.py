"""Requests in which each act is possible: everything switched on, and one step for each kind."""

from __future__ import annotations

from dataclasses import dataclass

from tests.workflow import flows
from workflow import access, queries
from workflow.actions import administration, approvals
from workflow.engine import commands
from workflow.models import SPAN, Instance, Task
from workflow.runtime.execute import execute

ACTS = {
    "transfer": True,
    "delegate": True,
    "add_before": True,
    "add_after": True,
    "add_with": True,
    "remove_added": True,
    "send_copy": True,
    "give_back": True,
    "return_to": "any",
    "comment": True,
    "edit_future": True,
}
POLICY = {"take_back": {"on": True, "within": None}, "initiator_cancel": "while_running"}
FIELDS = {"default": "edit", "set": {}}


def step(step_id, *logins, **members):
    """An approval by these people with everything switched on."""
    return flows.approve_step(step_id, *logins, acts=ACTS, **({"fields": FIELDS} | members))


def work(step_id, *logins, **members):
    """The same with work instead of a decision."""
    return step(step_id, *logins, **members) | {"kind": "work"}


def publish(user, key, *steps, now, **members):
    """Publish a process of these steps with the policy above."""
    document = flows.a_document(*steps, key=key, **({"policy": POLICY} | members))
    return flows.publish(user, document, now=now)


def seat(task):
    """The number of a task's seat."""
    return task.pk % SPAN


def said(task, user, **more):
    """What an act on an own task brings along; the version is the one that stands now."""
    task.refresh_from_db()
    return {"seat": seat(task), "by": user.pk, "version": task.version} | more


def act(made, task, user, *, now, **more):
    """Carry out one command of the engine through its action."""
    command = made(**said(task, user, **more))
    return approvals.on_task(task=task, user=user, command=command, now=now)


def task_of(user, instance):
    """The newest task that this person has in a request."""
    pk = Task.objects.filter(holder=user, instance=instance).latest("pk").pk
    return access.task(user, pk)


@dataclass
class Situation:
    """A request and the task of it that an act is about."""

    instance: Instance
    task: Task
    other: Task | None = None


def chi_holds(people, now, *, kind=step, key="acts", **members):
    """Chi has an open task after bao has approved; fay comes next."""
    publish(
        people["bao"], key, step("first", "bao"), kind("lead", "chi", **members),
        step("last", "fay"), now=now,
    )  # fmt: skip
    instance = flows.start(people["ann"], key, now=now)
    flows.approve(people["bao"], now=now)
    return Situation(instance, task_of(people["chi"], instance))


def make(verb, people, now):
    """A situation in which chi (for requests: ann or a manager) may do this."""
    found = _MADE.get(verb, chi_holds)(people, now)
    found.task = access.task(people["admin"], found.task.pk)
    return found


def _in_a_pool(people, now):
    return chi_holds(people, now, decide={"mode": "claim"})


def _claimed(people, now):
    found = _in_a_pool(people, now)
    act(commands.Claim, found.task, people["chi"], now=now)
    return found


def _asked(people, now):
    """Fay has asked chi for an opinion."""
    fay, chi = people["fay"], people["chi"]
    publish(people["bao"], "acts", step("lead", "fay"), now=now)
    instance = flows.start(people["ann"], "acts", now=now)
    act(commands.Delegate, task_of(fay, instance), fay, now=now, to=chi.pk)
    return Situation(instance, task_of(chi, instance))


def _added(people, now):
    """Chi has added gus before himself."""
    found = chi_holds(people, now)
    gus = people["gus"]
    act(commands.AddSigners, found.task, people["chi"], now=now, people=(gus.pk,), place="before")
    found.other = task_of(gus, found.instance)
    return found


def _approved(people, now):
    found = chi_holds(people, now)
    flows.approve(people["chi"], now=now)
    return found


def _returned(people, now):
    """The request is with ann again."""
    found = chi_holds(people, now)
    act(commands.Return, found.task, people["chi"], now=now, to="start")
    found.task = task_of(people["ann"], found.instance)
    return found


def _paused(people, now):
    found = chi_holds(people, now)
    administration.pause(instance=found.instance, user=people["bao"], reason="Wait", now=now)
    return found


def _held(people, now):
    """A call failed, and its step is held, beside the task of chi."""
    call = {
        "id": "call", "kind": "http", "name": "Call", "method": "POST", "url": "https://example.com",
    }  # fmt: skip
    branches = [
        {"id": f"b{number}", "name": f"B {number}", "steps": [each]}
        for number, each in enumerate((call, step("lead", "chi")))
    ]
    block = {"id": "p", "kind": "parallel", "name": "P", "join": "all", "branches": branches}
    publish(people["bao"], "acts", block, now=now)
    instance = flows.start(people["ann"], "acts", now=now)
    asking = next(each for each in queries.state_of(instance).activations if each.step == "call")
    execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=commands.Answered(asking.number, ok=False, code="http.failed"),
        actor_id=None,
        now=now,
    )
    return Situation(instance, task_of(people["chi"], instance))


_MADE = {
    "complete": lambda people, now: chi_holds(people, now, kind=work),
    "claim": _in_a_pool,
    "release": _claimed,
    "hand-back": _asked,
    "remove-signer": _added,
    "take-back": _approved,
    "resubmit": _returned,
    "resume": _paused,
    "retry": _held,
}


def body(verb, found):
    """A good body for this act in that situation."""
    found.task.refresh_from_db()
    version = {"task_version": found.task.version}
    return {
        "approve": version,
        "reject": version,
        "complete": version,
        "return": version | {"to": "first"},
        "transfer": version | {"to": "gus"},
        "delegate": version | {"to": "gus"},
        "hand-back": version | {"comment": "I would."},
        "add-signer": version | {"people": ["gus"], "place": "after"},
        "remove-signer": {"task": str(found.other.pk) if found.other else "0"},
        "copy": version | {"people": ["gus"]},
        "comment": {"comment": "Hm."},
        "take-back": {"comment": "Wrong button"},
        "claim": version,
        "release": version,
        "snooze": version | {"until": None},
        "ask-substitute": version | {"comment": "On leave"},
        "withdraw": {"comment": "Moot"},
        "resubmit": version,
        "suspend": {"reason": "Wait"},
        "resume": {},
        "jump": {"to": "last", "reason": "In a hurry"},
        "edit-future": version
        | {
            "edits": [{"do": "insert_approve", "after": "lead", "name": "Look", "who": ["gus"]}],
            "reason": "Just to be sure",
        },
        "retry": {"step": "call", "reason": "It is up again"},
    }[verb]
