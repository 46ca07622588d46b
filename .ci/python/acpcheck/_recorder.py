"""Records both directions of a connection, as `acpcheck record` does (`schema/record.schema.json`)."""

from __future__ import annotations

import base64
import enum
import inspect
import json
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, List, Optional, Tuple, Union


class Side(str, enum.Enum):
    """One of the two that speak with each other."""

    CLIENT = "client"
    AGENT = "agent"

    @property
    def other(self) -> "Side":
        return Side.AGENT if self is Side.CLIENT else Side.CLIENT

    @property
    def direction(self) -> str:
        """The name of the direction in which this side sends."""
        return "c2a" if self is Side.CLIENT else "a2c"


class Recorder:
    """Records connections in memory. It can be given to `check`.

    A recorder is used from one thread, or from the tasks of one event loop. `folder`: where the recordings
    are written when they are checked; without it, they are kept no longer than that takes.
    """

    def __init__(self, folder: Optional[Path] = None) -> None:
        self.folder = folder
        self.connections: List[Connection] = []

    def connect(self) -> "Connection":
        """Begins a connection, whose bytes are told with `Connection.take`."""
        connection = Connection()
        self.connections.append(connection)
        return connection

    def streams(self, reader: Any, writer: Any, side: Union[Side, str]) -> Tuple[Any, Any]:
        """Records a connection, and returns the reader and the writer to use from now on.

        `side` is the one that reads from `reader` and writes to `writer`. Streams of `asyncio` and binary
        files, such as those of `subprocess.Popen`, can be given. Where both ends of a connection are in one
        process, one end is enough.
        """
        side = Side(side)
        connection = self.connect()
        return _Reader(reader, connection, side.other), _Writer(writer, connection, side)

    def write(self, folder: Path) -> List[Path]:
        """Writes a file for each connection into `folder`, and returns their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for number, connection in enumerate(self.connections, 1):
            paths.append(folder / f"connection-{number}.ndjson")
            paths[-1].write_bytes(connection.recording)
        return paths


class Connection:
    """A connection that is being recorded."""

    def __init__(self) -> None:
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        start = {"type": "start", "format": "acpcheck-record", "version": 1, "at": at}
        self._lines: List[bytes] = [json.dumps(start, separators=(",", ":")).encode()]
        self._unfinished = {side: bytearray() for side in Side}
        self._has_ended = {side: False for side in Side}
        self._began = time.monotonic()

    @property
    def recording(self) -> bytes:
        """The recording so far. A line that has no end yet is not in it."""
        return b"\n".join(self._lines) + b"\n"

    def take(self, side: Union[Side, str], sent: bytes) -> None:
        """Records bytes that `side` has sent. They may begin and end anywhere in a line."""
        side = Side(side)
        unfinished = self._unfinished[side]
        unfinished += sent
        *lines, rest = bytes(unfinished).split(b"\n")
        for line in lines:
            end = "\r\n" if line.endswith(b"\r") else None
            self._add_line(side, line[:-1] if end else line, end)
        self._unfinished[side] = bytearray(rest)

    def end(self, side: Union[Side, str]) -> None:
        """Records that `side` has closed its direction."""
        side = Side(side)
        if self._has_ended[side]:
            return
        self._has_ended[side] = True
        rest = bytes(self._unfinished[side])
        self._unfinished[side].clear()
        if rest:
            self._add_line(side, rest, "")
        self._add(side, '"event":"eof"')

    def _add_line(self, side: Side, line: bytes, end: Union[str, None]) -> None:
        eol = "" if end is None else f'"eol":{json.dumps(end)},'
        try:
            text = line.decode()
        except UnicodeDecodeError:
            self._add(side, f'{eol}"base64":{json.dumps(base64.b64encode(line).decode())}')
            return
        try:
            # The encoder refuses half of a surrogate pair, which not all readers decode.
            json.dumps(json.loads(text), ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            self._add(side, f'{eol}"text":{json.dumps(text)}')
            return
        self._add(side, f'{eol}"msg":{text}')

    def _add(self, side: Side, members: str) -> None:
        since = round(time.monotonic() - self._began, 6)
        self._lines.append(f'{{"t":{since},"dir":"{side.direction}",{members}}}'.encode())


class _Stream:
    """A stream whose other members are those of the stream that it stands for."""

    def __init__(self, stream: Any, connection: Connection, side: Side) -> None:
        self._stream, self._connection, self._side = stream, connection, side

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # SDKs ask whether a stream is an `asyncio.StreamReader`.
        return type(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Reader(_Stream):
    """Records what is read of it."""

    def _read(self, method: str, *arguments: Any, **named: Any) -> Any:
        result = getattr(self._stream, method)(*arguments, **named)
        if inspect.isawaitable(result):
            return self._awaited(result, arguments)
        return self._took(result, arguments)

    async def _awaited(self, result: Any, arguments: Tuple[Any, ...]) -> Any:
        try:
            return self._took(await result, arguments)
        except EOFError as error:
            # What `asyncio.IncompleteReadError` has read before the end.
            self._took(getattr(error, "partial", b""), ())
            self._connection.end(self._side)
            raise

    def _took(self, data: Any, arguments: Tuple[Any, ...]) -> Any:
        if data:
            self._connection.take(self._side, bytes(data))
        elif data is not None and arguments != (0,):
            self._connection.end(self._side)
        return data

    def read(self, *arguments: Any, **named: Any) -> Any:
        return self._read("read", *arguments, **named)

    def read1(self, *arguments: Any) -> Any:
        return self._read("read1", *arguments)

    def readline(self, *arguments: Any) -> Any:
        return self._read("readline", *arguments)

    def readexactly(self, *arguments: Any) -> Any:
        return self._read("readexactly", *arguments)

    def readuntil(self, *arguments: Any, **named: Any) -> Any:
        return self._read("readuntil", *arguments, **named)

    def __iter__(self) -> "_Reader":
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __aiter__(self) -> "_Reader":
        return self

    async def __anext__(self) -> Any:
        line = await self.readline()
        if not line:
            raise StopAsyncIteration
        return line


class _Writer(_Stream):
    """Records what is written to it."""

    def write(self, data: Any) -> Any:
        result = self._stream.write(data)
        self._connection.take(self._side, bytes(data))
        return result

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def write_eof(self) -> Any:
        self._connection.end(self._side)
        return self._stream.write_eof()

    def close(self) -> Any:
        self._connection.end(self._side)
        return self._stream.close()
