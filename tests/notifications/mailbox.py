"""A mail server on loopback that keeps what it takes, and can be as bad as real ones."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from email import message_from_bytes, policy


class Mailbox:
    """`with Mailbox() as box:` listens; ``box.letters`` are parsed messages, in order.

    Args:
        answers: the reply to a command, by its word, instead of the usual one; ``None`` says
            nothing for ever, ``"drip"`` a byte now and then.
    """

    def __init__(self, **answers):
        self.answers, self.letters, self.connections = answers, [], 0
        self.stopped = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self.port = self._listener.getsockname()[1]
        self._threads = []

    def __enter__(self):
        self._start(self._listen)
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    def _start(self, act, *given):
        thread = threading.Thread(target=act, args=given, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _listen(self):
        while not self.stopped.is_set():
            with suppress(TimeoutError):
                opened, _ = self._listener.accept()
                self.connections += 1
                self._start(self._serve, opened)

    def _serve(self, opened):
        opened.settimeout(10)
        with opened, suppress(OSError), opened.makefile("rb") as lines:
            if not self._say(opened, "greeting", "220 loopback"):
                return
            for line in lines:
                word = line.split()[0].decode().lower()
                usual = {"data": "354 go on", "quit": "221 bye"}.get(word, "250 fine")
                if not self._say(opened, word, usual) or word == "quit":
                    return
                if word == "data" and "data" not in self.answers:
                    self._take(opened, lines)

    def _take(self, opened, lines):
        body = b""
        for line in lines:
            if line == b".\r\n":
                break
            body += line[1:] if line.startswith(b"..") else line
        if self._say(opened, "end", "250 taken"):
            self.letters.append(message_from_bytes(body, policy=policy.default))

    def _say(self, opened, word, usual):
        answer = self.answers.get(word, usual)
        if answer is None:
            self.stopped.wait(10)
            return False
        if answer == "drip":
            while not self.stopped.wait(0.05):
                opened.sendall(b"2")
            return False
        opened.sendall(answer.encode() + b"\r\n")
        return True
