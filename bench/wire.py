"""One WebSocket of the load generator, as cheap as it can be in Python: what is measured is the other side.

RFC 6455 with what our clients send: binary frames, masked with a key of zeros (which changes no byte), no extensions.
"""

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable

BINARY, CLOSE, PING, PONG = 2, 8, 9, 10
_NO_MASK = bytes(4)


class Wire(asyncio.Protocol):
    """Calls `opened` once the lobby has agreed, `heard` for each binary frame, `closed` when the line is gone."""

    def __init__(
        self, host: str, path: str, subprotocol: str, opened: Callable[["Wire"], None],
        heard: Callable[[bytes], None], closed: Callable[[], None],
    ) -> None:  # fmt: skip
        self._request = _upgrade(host, path, subprotocol)
        self._opened, self._heard, self._closed = opened, heard, closed
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._is_open = False
        self.frames_in = self.frames_out = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - asyncio names it
        self._closed()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._is_open:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self.close()
                return
            self._buffer, self._is_open = rest, True
            self._opened(self)
        self._take_frames()

    def send(self, payload: bytes, opcode: int = BINARY) -> None:
        """Sends a frame."""
        length = len(payload)
        head = bytes((0x80 | opcode, 0x80 | length)) if length < 126 else (
            bytes((0x80 | opcode, 0xFE)) + length.to_bytes(2, "big")
        )  # fmt: skip
        if self._transport is not None:
            self._transport.write(head + _NO_MASK + payload)
            self.frames_out += 1

    def close(self) -> None:
        """Ends the line at once."""
        if self._transport is not None:
            self._transport.abort()

    def _take_frames(self) -> None:
        buffer, start = self._buffer, 0
        while len(buffer) - start >= 2:
            length, head = buffer[start + 1], 2
            if length >= 126:
                head = 4 if length == 126 else 10
                length = int.from_bytes(buffer[start + 2 : start + head], "big")
            if len(buffer) - start < head + length:
                break
            opcode, payload = buffer[start] & 15, bytes(buffer[start + head : start + head + length])
            start += head + length
            if opcode == BINARY:
                self.frames_in += 1
                self._heard(payload)
            elif opcode == PING:
                self.send(payload, PONG)
        del buffer[:start]


def _upgrade(host: str, path: str, subprotocol: str) -> bytes:
    key = b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13",
    ]  # fmt: skip
    if subprotocol:
        lines.append(f"Sec-WebSocket-Protocol: {subprotocol}")
    return "\r\n".join([*lines, "", ""]).encode()
