"""Replies that were paid for, kept by everything that decides them.

A question that was asked before under the same settings, with the same number of its
repeat, is answered from here: by another run, another bank that shares the task, or the
run after its pilot. A call that failed is never kept.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path

from ingest.calls import Answer, Question, Settings
from ingest.errors import LoadError

_BUSY_S = 30.0
# a cut of power may lose the last replies of the cache, never the file: the journal
# is what holds a run
_PREPARE = """
pragma journal_mode = wal;
pragma synchronous = normal;
create table if not exists reply (key text primary key, answer text) without rowid;
"""


def cache_key(settings: Settings, question: Question, repeat: int) -> str:
    """Return what tells a reply apart from every other.

    Parameters
    ----------
    settings
        As wanted; the address of the endpoint is one of them.
    question
        What is asked, to the letter.
    repeat
        Which time it is asked, from 0: repeats are separate draws.

    Returns
    -------
    str
        SHA-256 in hex.
    """
    asked = {one.name: getattr(question, one.name) for one in fields(question)}
    # a schema may be a mapping that is no dict
    text = json.dumps([settings.as_json(), asked, repeat], sort_keys=True, default=dict)
    return hashlib.sha256(text.encode()).hexdigest()


class ResponseCache:
    """An open cache; several processes may share its file."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection

    def find(self, key: str) -> Answer | None:
        """Return the reply that is kept under a key.

        Parameters
        ----------
        key
            Of ``cache_key``.

        Returns
        -------
        Answer or None
            Marked ``cached``, with the cost and the time that it once took and without
            attempts, since nothing was sent; None where there is none.

        Raises
        ------
        LoadError
            Where the file is damaged.
        """
        try:
            row = self._connection.execute(
                "select answer from reply where key = ?", [key]
            ).fetchone()
            return None if row is None else _answer(row[0])
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            raise _unusable(self.path, error) from error

    def keep(self, key: str, answer: Answer) -> None:
        """Keep a reply; one that failed, or came from a cache, is left alone.

        Parameters
        ----------
        key
            Of ``cache_key``.
        answer
            What came of the call.

        Raises
        ------
        LoadError
            Where the file cannot be written.
        """
        if answer.text is None or answer.cached:
            return
        kept = asdict(replace(answer, attempts=()))
        try:
            self._connection.execute(
                "insert or replace into reply values (?, ?)", [key, json.dumps(kept)]
            )
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error


def _answer(text: str) -> Answer:
    kept = json.loads(text)
    kept |= {"attempts": (), "not_accepted": tuple(kept["not_accepted"])}
    return Answer(**kept | {"cached": True})


@contextmanager
def open_cache(path: Path) -> Iterator[ResponseCache]:
    """Open a cache, or begin one.

    Parameters
    ----------
    path
        Its file; the folder is made.

    Yields
    ------
    ResponseCache
        Closed at the end.

    Raises
    ------
    LoadError
        Where the file is none, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # every reply is a transaction of its own: a kill loses the one in hand
        connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise _unusable(path, error) from error
    try:
        try:
            connection.executescript(_PREPARE)
        except sqlite3.Error as error:
            raise _unusable(path, error) from error
        yield ResponseCache(connection, path)
    finally:
        connection.close()


def _unusable(path: Path, error: Exception) -> LoadError:
    return LoadError(
        f"the cache of replies {path} cannot be used ({error}); delete it (journals "
        "keep every reply), or ask with --no-cache"
    )
