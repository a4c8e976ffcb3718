"""Small pictures for made-up products: stripes of plain colour as a baseline JPEG."""

from __future__ import annotations

import struct
from collections.abc import Sequence

SIDE = 64
Colour = tuple[int, int, int]

# twelve codes of four bits for the sizes of differences, one of one bit for "no more"
_SIZES = 12
_SIZE_BITS = 4


def picture(stripes: Sequence[Colour]) -> bytes:
    """Return a picture of eight horizontal stripes.

    Parameters
    ----------
    stripes
        Red, green and blue of one stripe or more, from the top, each in [0, 255]; the
        last one fills what is left.

    Returns
    -------
    bytes
        A JPEG of 64 x 64 pixels, the same for the same stripes.
    """
    blocks = SIDE // 8
    bits = ""
    before = [0, 0, 0]
    for row in range(blocks):
        colour = _luminance(stripes[min(row, len(stripes) - 1)])
        for _ in range(blocks):
            for channel, level in enumerate(colour):
                bits += _difference(level - before[channel]) + "0"
                before[channel] = level
    bits += "1" * (-len(bits) % 8)
    scan = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\x00")
    return b"".join(
        [
            b"\xff\xd8",
            _segment(0xDB, b"\x00" + bytes([8] * 64)),
            _segment(0xC0, struct.pack(">BHHB", 8, SIDE, SIDE, 3) + _components()),
            _segment(0xC4, _codes(0x00, _SIZE_BITS, range(_SIZES))),
            _segment(0xC4, _codes(0x10, 1, [0])),
            _segment(0xDA, b"\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00"),
            scan,
            b"\xff\xd9",
        ]
    )


def _luminance(colour: Colour) -> tuple[int, int, int]:
    """Return a colour as JPEG has it (ITU-T T.871), around 0."""
    red, green, blue = colour
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    return (
        round(light) - 128,
        round(0.564 * (blue - light)),
        round(0.713 * (red - light)),
    )


def _difference(value: int) -> str:
    """Return a difference of levels as its size and, for negative ones, complement."""
    size = abs(value).bit_length()
    low = value if value > 0 else value + (1 << size) - 1
    return f"{size:0{_SIZE_BITS}b}" + (f"{low:0{size}b}" if size else "")


def _components() -> bytes:
    return b"".join(bytes([number, 0x11, 0]) for number in (1, 2, 3))


def _codes(table: int, length: int, symbols: Sequence[int]) -> bytes:
    counts = [len(symbols) if bits == length else 0 for bits in range(1, 17)]
    return bytes([table, *counts, *symbols])


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content
