"""Reading fixed byte layouts: what is signed is never re-encoded, so it is only ever read.

All integers are unsigned and big-endian (deal.md). Writing needs no module of its own: layouts are written as a
concatenation of `engine.digest`'s `u8`, `u32` and `u64`, so that the code reads like the specification.
"""

from __future__ import annotations

VARINT_BYTES_MAX = 5  # of 32 bits


class LayoutError(ValueError):
    """Bytes that do not follow their layout; the message says at which offset."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(f"byte {offset}: {what}")
        self.offset = offset
        self.what = what


class Reader:
    """Takes the fields of a layout off the front of `data`, one after another."""

    __slots__ = ("data", "offset")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0

    def take(self, count: int) -> bytes:
        """Returns the next `count` bytes; raises LayoutError if they are not all there."""
        end = self.offset + count
        if end > len(self.data):
            raise LayoutError(len(self.data), f"cut off: {end - len(self.data)} bytes missing")
        part = self.data[self.offset : end]
        self.offset = end
        return part

    def uint(self, width: int) -> int:
        """Returns the next `width` bytes as an unsigned integer."""
        return int.from_bytes(self.take(width), "big")

    def varint(self) -> int:
        """Returns a number of seven bits a byte, low bits first, at most 32 bits, in its shortest form."""
        data, offset = self.data, self.offset
        value = shift = 0
        byte = 0x80
        while byte >= 0x80 and shift < 7 * VARINT_BYTES_MAX:  # no further, however long a hostile one may be
            if offset == len(data):
                raise LayoutError(offset, "cut off: 1 bytes missing")
            byte = data[offset]
            offset += 1
            value |= (byte & 0x7F) << shift
            shift += 7
        self.offset = offset
        if byte >= 0x80 or value >= 1 << 32 or (byte == 0 and shift > 7):
            raise LayoutError(offset, "a varint too large or not in its shortest form")
        return value

    def end(self) -> None:
        """Raises LayoutError if anything is left."""
        if self.offset != len(self.data):
            raise LayoutError(self.offset, f"{len(self.data) - self.offset} bytes too many")


def varint(value: int) -> bytes:
    """Returns `value` (0 to 2^32 - 1) with seven bits a byte, low bits first; the last byte is below 128."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> int:
    """Returns a whole number as one that is not negative: 0, -1, 1, -2 as 0, 1, 2, 3, so that a varint can hold it."""
    return 2 * value if value >= 0 else -2 * value - 1


def unzigzag(value: int) -> int:
    """Returns the number of which `value` is the zigzag."""
    return value // 2 if value % 2 == 0 else -(value // 2) - 1


def pack_directions(directions: bytes) -> bytes:
    """Returns moves at two bits each, the first in the high bits; the unused low bits of the last byte are 0."""
    out = bytearray()
    for start in range(0, len(directions), 4):
        byte = 0
        for place, direction in enumerate(directions[start : start + 4]):
            byte |= direction << (6 - 2 * place)
        out.append(byte)
    return bytes(out)


def unpack_directions(reader: Reader, count: int) -> bytes:
    """Returns `count` moves read from two bits each; raises LayoutError if unused bits are set."""
    packed = reader.take((count + 3) // 4)
    directions = bytes(byte >> shift & 3 for byte in packed for shift in (6, 4, 2, 0))
    if any(directions[count:]):
        raise LayoutError(reader.offset, "unused bits of the moves are set")
    return directions[:count]
