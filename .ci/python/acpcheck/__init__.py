"""Checks traffic of the Agent Client Protocol from Python.

The program `acpcheck`, which this package installs, does the work::

    import acpcheck

    findings = acpcheck.check("recording.ndjson")

In a test, `Recorder` records both directions of a connection. The fixture `acp_recorder` for pytest
gives one, and fails the test where a message breaks the protocol.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._recorder import Recorder, Side

__all__ = ["AcpcheckError", "Finding", "Findings", "Recorder", "Side", "check", "failure", "find_program"]

#: A message, alone or with the side that sends it.
Message = Union[Mapping[str, Any], Tuple[Side, Mapping[str, Any]]]
#: A file or a folder, the bytes of a recording, messages, or a recorder.
Source = Union[str, "os.PathLike[str]", bytes, Iterable[Message], Recorder]


class AcpcheckError(Exception):
    """The program cannot be run, or cannot read what it was given. The text says why."""


@dataclass(frozen=True)
class Finding:
    """What one message does that the protocol does not allow or does not recommend."""

    #: The id of the rule, such as `plan/missing-id`.
    rule: str
    #: `error`, `warning` or `info`.
    severity: str
    message: str
    #: The side that breaks the rule: `client` or `agent`; `None` where it is unknown.
    side: Optional[str]
    path: str
    #: The line in the recording, from 1.
    line: int
    #: The column in the line, from 1.
    column: int
    #: What to do instead; `None` for findings without such advice.
    help: Optional[str]
    #: The finding as `acpcheck check --format json` writes it (`schema/report.schema.json`).
    raw: Dict[str, Any]

    def __str__(self) -> str:
        by = f" by the {self.side}" if self.side else ""
        return f"{self.path}:{self.line}:{self.column}: {self.severity}[{self.rule}]{by}: {self.message}"


class Findings(List[Finding]):
    """The findings of one call of `check`, in the order of the messages."""

    #: How many messages were read.
    messages: int = 0
    #: How many messages could not be judged, or not by all rules.
    unjudged_messages: int = 0
    #: How many rules could not be judged in some connection.
    unjudged_rules: int = 0

    @property
    def is_judged(self) -> bool:
        """Whether everything was judged: only then, no findings means that none are there."""
        return self.unjudged_messages == 0 and self.unjudged_rules == 0


def find_program() -> str:
    """The path of the program that this package has installed."""
    name = "acpcheck.exe" if sys.platform == "win32" else "acpcheck"
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    user = "nt_user" if os.name == "nt" else "posix_user"
    if user in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", user))
    # With `pip install --target`, the programs are beside the modules.
    folders.append(str(Path(__file__).resolve().parent.parent / "bin"))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise AcpcheckError(f"the program `{name}` is in none of these folders: {', '.join(folders)}")


def check(source: Source, options: Sequence[str] = ()) -> Findings:
    """Checks recordings, and returns all findings.

    `source`: the path of a file or a folder; the bytes of one recording; messages, each a dictionary or a
    pair of the sending side and a dictionary; or a `Recorder`. `options`: further options of
    `acpcheck check`, such as `["--side", "agent"]`. `acpcheck.toml` holds as on the command line.
    Raises `AcpcheckError` where something cannot be read.
    """
    report = json.loads(_run(source, ["--format", "json", *options])[1])
    findings = Findings()
    summary = report["summary"]
    findings.messages = summary["messages"]
    findings.unjudged_messages = summary["unjudged"]["messages"]
    findings.unjudged_rules = summary["unjudged"]["rules"]
    for file in report["files"]:
        for raw in file["diagnostics"]:
            place = raw["labels"][0] if raw["labels"] else {"line": 1, "column": 1}
            findings.append(
                Finding(
                    rule=raw["rule"],
                    severity=raw["severity"],
                    message=raw["message"],
                    side=raw.get("bound"),
                    path=file["path"],
                    line=place["line"],
                    column=place["column"],
                    help=raw.get("help"),
                    raw=raw,
                )
            )
    return findings


def failure(source: Source, options: Sequence[str] = ("--fail-on", "error,unjudged")) -> Optional[str]:
    """What `acpcheck check` shows of `source`, if its exit status is 1; else `None`.

    Each finding stands there with the messages that explain it. `options` say what makes the status 1.
    """
    status, text = _run(source, ["--format", "full", "--color", "never", *options])
    return text if status == 1 else None


def _run(source: Source, arguments: List[str]) -> Tuple[int, str]:
    command = [find_program(), "check", *arguments]
    if isinstance(source, Recorder):
        with contextlib.ExitStack() as stack:
            folder = source.folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="acpcheck-"))
            return _output([*command, "--", *map(str, source.write(Path(folder)))])
    if isinstance(source, (str, os.PathLike)):
        return _output([*command, "--", os.fspath(source)])
    if not isinstance(source, (bytes, bytearray)):
        source = b"".join(map(_line, source))
    return _output([*command, "-"], bytes(source))


def _line(message: Message) -> bytes:
    if not isinstance(message, Mapping):
        side, text = message
        message = {"dir": Side(side).direction, "msg": text}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _output(command: List[str], recording: Optional[bytes] = None) -> Tuple[int, str]:
    try:
        done = subprocess.run(command, input=recording or b"", capture_output=True)
    except OSError as error:
        raise AcpcheckError(f"`{command[0]}` cannot be started: {error}") from error
    # 0 and 1: everything was read, without and with findings.
    if done.returncode not in (0, 1):
        told = done.stderr.decode(errors="replace").strip()
        raise AcpcheckError(told or f"acpcheck ended with {done.returncode}")
    return done.returncode, done.stdout.decode()
