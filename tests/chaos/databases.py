"""A database of one installation's own, made for it and removed with it; read by plain SQL."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from urllib.parse import unquote, urlsplit, urlunsplit

import psycopg
import pymysql

SERVERS = {"postgresql": "FLOWADMIN_TEST_PG_URL", "mariadb": "FLOWADMIN_TEST_MYSQL_URL"}
KINDS = ("sqlite", *SERVERS)
WAIT_SECONDS = 20
AT_ONE_MOMENT = {
    "sqlite": ("BEGIN",),
    "postgresql": ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",),
    "mariadb": (
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    ),
}


class Database:
    """One of `KINDS`. ``server`` is the address of any database of a server; SQLite has none."""

    def __init__(self, kind, folder, server=""):
        self.kind = kind
        self._file = folder / "flowadmin.sqlite3"
        self._server = server
        # The folder's name is random, so two runs on one server never meet.
        self.name = f"chaos_{os.getpid()}_{folder.name}".lower().replace("-", "_")[:60]

    @property
    def url(self):
        """DATABASE_URL of the installation; empty for the SQLite file of its data folder."""
        if self.kind == "sqlite":
            return ""
        return urlunsplit(urlsplit(self._server)._replace(path=f"/{self.name}"))

    def create(self):
        """Make it, empty. On SQLite the first migration does."""
        if self.kind == "postgresql":
            self._administer(f'CREATE DATABASE "{self.name}"')
        elif self.kind == "mariadb":
            self._administer(
                f"CREATE DATABASE `{self.name}` CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
            )

    def drop(self):
        """Remove it, whoever is still connected. SQLite's file goes with its folder."""
        if self.kind == "postgresql":
            self._administer(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')
        elif self.kind == "mariadb":
            self._administer(f"DROP DATABASE IF EXISTS `{self.name}`")

    def rows(self, sql):
        """All rows of one SELECT."""
        return self.snapshot(sql)[0]

    def snapshot(self, *selects):
        """The rows of each SELECT, all seen at one moment, although others go on writing.

        Names that SQL reserves are written in double quotes.
        """
        with closing(self._connect(self.url)) as connection:
            cursor = connection.cursor()
            for statement in AT_ONE_MOMENT[self.kind]:
                cursor.execute(statement)
            answers = []
            for sql in selects:
                cursor.execute(sql.replace('"', "`") if self.kind == "mariadb" else sql)
                answers.append([tuple(row) for row in cursor.fetchall()])
            cursor.execute("ROLLBACK")
            return answers

    def await_row(self, sql, seconds):
        """Ask again and again until a SELECT has a row; whether it had one in time."""
        until = time.monotonic() + seconds
        with closing(self._connect(self.url)) as connection:
            cursor = connection.cursor()
            while time.monotonic() < until:
                cursor.execute(sql)
                if cursor.fetchone():
                    return True
        return False

    def _administer(self, statement):
        with closing(self._connect(self._server)) as connection:
            connection.cursor().execute(statement)

    def _connect(self, url):
        if self.kind == "sqlite":
            return sqlite3.connect(self._file, timeout=WAIT_SECONDS, isolation_level=None)
        if self.kind == "postgresql":
            return psycopg.connect(url, autocommit=True, connect_timeout=WAIT_SECONDS)
        parts = urlsplit(url)
        return pymysql.connect(
            host=parts.hostname,
            port=parts.port or 3306,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            database=parts.path.strip("/"),
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=WAIT_SECONDS,
        )
