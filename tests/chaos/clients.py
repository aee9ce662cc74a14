"""Clients that file and decide through REST while processes die, and ask again until answered."""

from __future__ import annotations

import threading
import time
import uuid
from random import Random

import httpx

from tests.chaos.action_log import Line

# Two clients act as one person, so that both reach for the same task.
LOGINS = ("ann", "ann", "bao", "bao", "chi", "dan", "admin", "admin")
TIMEOUT_SECONDS = 30
GIVE_UP_SECONDS = 120
# Decisions for one look at the inbox: the more, the more of them meet a task that is taken.
AT_A_TIME = 5
REPEATED = 0.08
REJECTED = 0.12
# The server says with these that nothing is decided and the caller may come again.
COME_AGAIN = frozenset({502, 503, 504})
# Somebody else was first: the one refusal that competing clients cause.
COMPETED = frozenset({409, 412})


class Client(threading.Thread):
    """One client. ``stop`` ends it after its action under way, which it sees to its end.

    ``reads`` counts answers to reads; ``faults`` lists what no client must ever see.
    """

    def __init__(self, installation, login, log, *, number, seed, name):
        super().__init__(name=name, daemon=True)
        self.stop = threading.Event()
        self.reads = 0
        self.faults = []
        self.came_home = False
        self.given_up = False
        self._installation = installation
        self._login = login
        self._log = log
        self._round = number
        self._random = Random(seed)
        self._tasks = []

    def run(self):
        """Act until told to stop."""
        headers = {"Authorization": f"Token {self._installation.tokens[self._login]}"}
        with httpx.Client(
            base_url=f"{self._installation.address}/api/v1/",
            headers=headers,
            timeout=TIMEOUT_SECONDS,
        ) as self._http:
            while not self.stop.is_set():
                self._one_action()
        self.came_home = True

    def _one_action(self):
        if self._login == "ann":
            marker = uuid.UUID(int=self._random.getrandbits(128)).hex
            amount = self._random.choice(("5", "900", "1000.01", "20000"))
            form = {"marker": marker, "amount": amount}
            self._carry_out("start", marker, "instances/", {"flow": "chaos", "form": form})
            # Filing is quicker than deciding; without a pause the inboxes only grow.
            self.stop.wait(self._random.uniform(0.01, 0.05))
            return
        if not self._tasks:
            self._tasks = self._inbox()
            self._random.shuffle(self._tasks)
            del self._tasks[AT_A_TIME:]
        if not self._tasks:
            self.stop.wait(0.02)
            return
        task = self._tasks.pop()
        verb = "reject" if self._random.random() < REJECTED else "approve"
        self._carry_out(
            verb,
            task["id"],
            f"tasks/{task['id']}/actions/{verb}",
            {"task_version": task["version"], "comment": f"{verb} by {self._login}"},
        )

    def _inbox(self):
        try:
            answer = self._http.get("tasks/", params={"box": "todo"})
        except httpx.TransportError:
            self._installation.up.wait(GIVE_UP_SECONDS)
            return []
        if answer.status_code in COME_AGAIN:
            return []
        self.reads += 1
        if answer.status_code != 200:
            self.faults.append(f"inbox of {self._login}: {answer.status_code} {answer.text[:300]}")
            return []
        return answer.json()["results"]

    def _carry_out(self, what, target, path, body):
        """Send until there is an answer, each time with the same key."""
        key = uuid.UUID(int=self._random.getrandbits(128)).hex
        until = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < until and not self.given_up:
            answer = self._send(key, what, target, path, body)
            if answer is None:
                self._installation.up.wait(GIVE_UP_SECONDS)
                continue
            if answer.is_success and self._random.random() < REPEATED:
                self._repeat(key, what, target, path, body)
            return

    def _send(self, key, what, target, path, body):
        self._note("invoke", key, what, target)
        try:
            answer = self._http.post(path, json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError as error:
            self._note("unknown", key, what, target, body=type(error).__name__)
            return None
        if answer.status_code in COME_AGAIN:
            self._note("unknown", key, what, target, answer=answer)
            return None
        if answer.is_success:
            phase = "ok"
        else:
            phase = "fail" if answer.status_code in COMPETED else "broken"
        self._note(phase, key, what, target, answer=answer)
        return answer

    def _repeat(self, key, what, target, path, body):
        try:
            answer = self._http.post(path, json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            return
        if answer.status_code not in COME_AGAIN:
            self._note("repeat", key, what, target, answer=answer)

    def _note(self, phase, key, what, target, *, answer=None, body=""):
        self._log.write(
            Line(
                key=key,
                phase=phase,
                what=what,
                user=self._login,
                target=target,
                round=self._round,
                status=answer.status_code if answer is not None else 0,
                body=answer.text if answer is not None else body,
                replayed=answer is not None and "Idempotency-Replayed" in answer.headers,
            )
        )


class Crowd:
    """All clients of one round. Leaving the context waits until each has its last answer."""

    def __init__(self, installation, log, *, number, seed):
        self._installation = installation
        self.clients = [
            Client(
                installation,
                login,
                log,
                number=number,
                seed=f"{seed}:{number}:{place}",
                name=f"{login}-{place}",
            )
            for place, login in enumerate(LOGINS)
        ]

    def __enter__(self):
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, failed, *_about):
        for client in self.clients:
            client.given_up = failed is not None
            client.stop.set()
        if failed is not None:
            self._installation.up.set()  # for those who wait for a server that will not come
        for client in self.clients:
            client.join(2 * GIVE_UP_SECONDS)

    @property
    def faults(self):
        """What no client must ever see, and clients that hang or broke down."""
        lost = [f"{one.name} never came home" for one in self.clients if not one.came_home]
        return lost + [fault for one in self.clients for fault in one.faults]

    @property
    def reads(self):
        """Answered reads of all clients."""
        return sum(one.reads for one in self.clients)
