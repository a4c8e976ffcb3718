"""Pictures and snapshots of pages as files (search 1.1 and 4.7)."""

import gzip
import hashlib
import io

import pytest
from PIL import Image

from ingest.errors import LoadError
from ingest.search.pages.evidence import evidence_name, packed_page, write_evidence
from ingest.search.pages.picture import read_picture

PAGE = b"<html>\xe9</html>"


def image(size=(100, 80), mode="RGB", colour="red", kind="PNG", **options):
    packed = io.BytesIO()
    Image.new(mode, size, colour).save(packed, kind, **options)
    return packed.getvalue()


def opened(picture):
    return Image.open(io.BytesIO(picture.data))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((2048, 1024), (1024, 512)),
        ((500, 2000), (256, 1024)),
        ((1024, 64), (1024, 64)),
        ((64, 64), (64, 64)),
    ],
)
def test_a_picture_is_at_most_1024_pixels_long(size, expected):
    picture = read_picture(image(size))
    assert (picture.width, picture.height) == expected == opened(picture).size
    assert picture.sha256 == hashlib.sha256(picture.data).hexdigest()


def test_what_is_clear_becomes_white():
    picture = read_picture(image(mode="RGBA", colour=(255, 0, 0, 0)))
    assert opened(picture).mode == "RGB"
    assert min(opened(picture).getpixel((50, 40))) > 250


def test_a_picture_is_turned_upright_and_loses_its_metadata():
    turned = Image.Exif()
    turned[0x0112] = 6  # a quarter turn
    turned[0x010E] = "who took it"
    picture = read_picture(image((100, 80), kind="JPEG", exif=turned))
    assert (picture.width, picture.height) == (80, 100)
    assert b"who took it" not in picture.data
    assert not opened(picture).getexif()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP"])
def test_the_same_file_gives_the_same_bytes(kind):
    data = image(kind=kind)
    assert read_picture(data) == read_picture(data)
    assert opened(read_picture(data)).format == "JPEG"


@pytest.mark.parametrize(
    "data",
    [
        *(
            b"",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"\xff\xd8\xff",
            b"%!PS-Adobe",
        ),
        *(image((63, 200)), image((1, 1)), image()[:60], image((9000, 9000), "1", 0)),
    ],
)
def test_small_broken_and_huge_pictures_are_missing(data):
    assert read_picture(data) is None


def test_a_placeholder_is_missing():
    data = image()
    assert read_picture(data) is not None
    assert read_picture(data, {hashlib.sha256(data).hexdigest()}) is None


def test_a_page_is_kept_under_its_hash_and_the_same_bytes_whenever_it_is_written():
    name = hashlib.sha256(PAGE).hexdigest()
    assert evidence_name(PAGE) == f"evidence/{name}.html.gz"
    packed = packed_page(PAGE)
    assert gzip.decompress(packed) == PAGE
    # RFC 1952: bytes 4 to 7 are the time, byte 3 the flags (a name among them)
    assert (packed[3], packed[4:8]) == (0, b"\0\0\0\0")


def test_evidence_is_written_once(tmp_path):
    name = write_evidence(tmp_path, PAGE)
    path = tmp_path / evidence_name(PAGE)
    assert (name, gzip.decompress(path.read_bytes())) == (
        hashlib.sha256(PAGE).hexdigest(),
        PAGE,
    )
    before = path.stat().st_ino
    assert write_evidence(tmp_path, PAGE) == name
    assert path.stat().st_ino == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "evidence").write_text("a file")
    with pytest.raises(LoadError, match="cannot be written"):
        write_evidence(tmp_path, PAGE)
