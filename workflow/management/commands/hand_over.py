"""`manage.py hand_over LEAVER TO --reason TEXT`: give every waiting task of a leaver away."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem
from workflow.actions import administration

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable

    from workflow.actions.administration import HandedOver


class Command(BaseCommand):
    """Exit 0: everything was handed over; 1: some tasks could not be; 2: wrong use."""

    help = "Give every task that waits for a person who leaves to another person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("leaver", help="login name of who leaves; may be disabled already")
        parser.add_argument("to", help="login name of an active person of the same tenant")
        parser.add_argument("--reason", default="", help="for the history of each request")
        parser.add_argument("--by", default="", help="login name of the manager who does it")
        parser.add_argument("--dry-run", action="store_true", help="only list the tasks")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        leaver, to = _person(options["leaver"]), _person(options["to"])
        user = _manager(options["by"], leaver) if options["by"] else None
        with translation.override("en"):
            try:
                results = _results(leaver, to, user, options)
            except Problem as problem:
                raise CommandError(f"{problem.detail} [{problem.code}]", returncode=2) from problem
        failed = sum(not each.ok for each in results)
        self._report(results, options, failed=failed)
        if failed:
            raise CommandError(
                f"{failed} of {len(results)} tasks could not be handed over.", returncode=1
            )

    def _report(
        self, results: Iterable[HandedOver], options: dict[str, Any], *, failed: int
    ) -> None:
        rows = list(results)
        if options["json"]:
            answer = {
                "leaver": options["leaver"],
                "to": options["to"],
                "dry_run": options["dry_run"],
                "handed_over": 0 if options["dry_run"] else len(rows) - failed,
                "failed": failed,
                "tasks": [
                    asdict(each) | {"task": str(each.task), "instance": str(each.instance)}
                    for each in rows
                ],
            }
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        for each in rows:
            what = f"task {each.task} ({each.step}) of {each.number} {each.title}"
            self.stdout.write(what if each.ok else f"{what}: {each.message} [{each.code}]")
        told = "wait for them" if options["dry_run"] else "were handed over"
        count = len(rows) if options["dry_run"] else len(rows) - failed
        self.stdout.write(f"{count} tasks {told}.")


def _results(
    leaver: User, to: User, user: User | None, options: dict[str, Any]
) -> list[HandedOver]:
    """What was done, or would be. Raises Problem 422 for wrong use."""
    if options["dry_run"]:
        administration.check_hand_over(leaver, to, options["reason"])
        return _listed(leaver)
    return list(
        administration.hand_over(
            leaver=leaver, to=to, user=user, reason=options["reason"], now=clock.now()
        )
    )


def _listed(leaver: User) -> list[HandedOver]:
    return [
        administration.HandedOver(
            task.pk, task.instance_id, task.instance.number, task.instance.title, task.step
        )
        for task in administration.waiting_tasks(leaver)
    ]


def _person(login: str) -> User:
    found = User.objects.filter(login=login).first()
    if found is None:
        raise CommandError(f"There is no person {login!r}.", returncode=2)
    return found


def _manager(login: str, leaver: User) -> User:
    """Who acts; another tenant's manager has no say here, an operator of the platform has."""
    found = _person(login)
    in_tenant = found.is_superuser or found.tenant_id == leaver.tenant_id
    if not (in_tenant and permissions.has(found, permissions.FLOW_MANAGE)):
        raise CommandError(f"{login} does not manage requests of this tenant.", returncode=2)
    return found
