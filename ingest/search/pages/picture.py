"""Pictures of products as every agent and judge gets them (4.7)."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Container
from dataclasses import dataclass

from PIL import Image, ImageOps

LONGEST_SIDE = 1024
LEAST_SIDE = 64
QUALITY = 85

# what shops send; others have readers that nobody looks after
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "AVIF", "BMP")
_MOST_PIXELS = 50_000_000
_ALPHA = ("RGBA", "LA", "PA", "RGBa", "La")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in the one form that a run holds.

    Attributes
    ----------
    data
        A JPEG without metadata.
    sha256
        Of ``data``.
    width, height
        In pixels.
    """

    data: bytes
    sha256: str
    width: int
    height: int


def read_picture(data: bytes, placeholders: Container[str] = ()) -> Picture | None:
    """Return a picture turned upright, on white, at most 1024 pixels long, as a JPEG.

    Parameters
    ----------
    data
        Bytes as fetched; anything.
    placeholders
        SHA-256 of files that shops show where they have no picture.

    Returns
    -------
    Picture or None
        None where it cannot be read, has a side under 64 pixels or is a placeholder: it
        counts as missing.
    """
    if hashlib.sha256(data).hexdigest() in placeholders:
        return None
    try:
        with warnings.catch_warnings():
            # a picture made to fill the memory is told by its size, before it is read
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
                if image.width * image.height > _MOST_PIXELS:
                    return None
                flat = _flat(ImageOps.exif_transpose(image))
    # readers of broken files raise whatever comes
    except Exception:
        return None
    flat.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    if min(image.size) < LEAST_SIDE or min(flat.size) < 1:
        return None
    packed = io.BytesIO()
    flat.save(packed, "JPEG", quality=QUALITY)
    made = packed.getvalue()
    return Picture(made, hashlib.sha256(made).hexdigest(), *flat.size)


def _flat(image: Image.Image) -> Image.Image:
    """Return a picture in red, green and blue alone, on white where it is clear."""
    if image.mode in _ALPHA or "transparency" in image.info:
        clear = image.convert("RGBA")
        ground = Image.new("RGBA", clear.size, "white")
        return Image.alpha_composite(ground, clear).convert("RGB")
    return image.convert("RGB")
