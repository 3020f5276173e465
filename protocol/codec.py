"""Frames to messages and back (architecture.md 5.1).

msgpack turns bytes into builtins under hard limits; msgspec turns builtins into the frozen types of messages.py.
One error comes out, whatever came in: FrameError. Behind this module there are no dicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

import msgpack
import msgspec

from protocol import limits, messages
from protocol.text import SafeText

M = TypeVar("M")
_BUILTIN = (bytes,)
# The longest list in any message of either side. The parser makes room for as many entries as a list says it has, again
# for each of a thousand lists in one another: without a bound a frame of 4 kB took 34 MB and a seventh of a second.
_CLIENT_LIST_MAX, _LOBBY_LIST_MAX = 2, limits.LOG_PIECE_MOVES  # a body with its signature; the times of moves


class FrameError(ValueError):
    """A frame that is not a message: too large, not msgpack, or not of any type with its bounds."""


def encode(message: msgspec.Struct) -> bytes:
    """Returns the frame of a message."""
    frame: bytes = msgpack.packb(msgspec.to_builtins(message, builtin_types=_BUILTIN, enc_hook=str))
    return frame


def _by_tag(union: Any) -> Mapping[str, type[msgspec.Struct]]:  # noqa: ANN401 - a union is no type
    """Returns the messages of a union by their tag: msgspec would look at the whole union again for every frame."""
    return {kind.__struct_config__.tag: kind for kind in get_args(union)}


_FROM_CLIENT, _FROM_LOBBY = _by_tag(messages.FromClient), _by_tag(messages.FromLobby)


def decode_from_client(frame: bytes) -> messages.FromClient:
    """Returns the message in a frame that a client sent; raises FrameError."""
    message: messages.FromClient = _decode(frame, _FROM_CLIENT, limits.CLIENT_FRAME_BYTES_MAX, _CLIENT_LIST_MAX)
    return message


def decode_from_lobby(frame: bytes) -> messages.FromLobby:
    """Returns the message in a frame that a lobby sent; raises FrameError."""
    message: messages.FromLobby = _decode(frame, _FROM_LOBBY, limits.LOBBY_FRAME_BYTES_MAX, _LOBBY_LIST_MAX)
    return message


def _decode(  # its caller knows which
    frame: bytes, kinds: Mapping[str, type[msgspec.Struct]], bytes_max: int, list_max: int
) -> Any:  # noqa: ANN401
    if len(frame) > bytes_max:
        raise FrameError(f"{len(frame)} bytes, more than {bytes_max}")
    try:
        builtins = msgpack.unpackb(
            frame,
            object_pairs_hook=_distinct,
            strict_map_key=True,
            max_str_len=1_024,
            max_bin_len=bytes_max,
            max_array_len=list_max,
            max_map_len=32,
            max_ext_len=0,
        )
        return msgspec.convert(builtins, kinds[builtins["type"]], strict=True, builtin_types=_BUILTIN, dec_hook=_safe)
    except (ValueError, TypeError, KeyError, RecursionError, msgpack.UnpackException) as error:
        raise FrameError(f"not a message: {type(error).__name__}") from error


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise FrameError("a key that stands twice")
    return table


def _safe(wanted: type, value: object) -> object:
    if wanted is SafeText and isinstance(value, str):
        return SafeText.shown(value)
    raise TypeError(f"{wanted.__name__} expected")
