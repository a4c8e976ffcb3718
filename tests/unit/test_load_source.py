"""Opening a source: every form gives the same names and bytes, no form is trusted."""

from __future__ import annotations

import gzip
import io
import os
import socket
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest import source as source_module
from ingest.errors import LoadError
from ingest.source import open_source

Maker = Callable[..., Path]

FILES = {"a.csv": b"1\n", "deep/b.csv": b"2\n"}


def _zip(path: Path, members: dict[str, bytes], top: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(top + name, data)
    return path


def _tar(path: Path, members: dict[str, bytes], top: str = "") -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(top + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def _folder(path: Path, members: dict[str, bytes]) -> Path:
    for name, data in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def _content(path: Path | str) -> dict[str, bytes]:
    with open_source(path) as opened:
        return {name: opened.read(name) for name in opened.names}


@pytest.mark.parametrize("top", ["", "repository-3f033a5/"])
@pytest.mark.parametrize(
    ("make", "name"),
    [(_zip, "x.zip"), (_tar, "x.tar.gz"), (_tar, "x.tgz"), (_tar, "x"), (_zip, "x")],
)
def test_archives_give_names_and_bytes(
    tmp_path: Path, make: Maker, name: str, top: str
) -> None:
    assert _content(make(tmp_path / name, FILES, top)) == FILES


def test_a_folder_gives_names_and_bytes(tmp_path: Path) -> None:
    hidden = {".git/config": b"x", ".DS_Store": b"x"}
    assert _content(_folder(tmp_path / "d", {**FILES, **hidden})) == FILES


def test_a_single_file_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"1\n")
    assert _content(tmp_path / "a.csv") == {"a.csv": b"1\n"}


def test_only_a_folder_common_to_all_is_left_out(tmp_path: Path) -> None:
    members = {"p/a.csv": b"1", "q/b.csv": b"2"}
    assert _content(_zip(tmp_path / "x.zip", members)) == members


def test_what_was_unpacked_is_removed(tmp_path: Path) -> None:
    with open_source(_zip(tmp_path / "x.zip", FILES)) as opened:
        unpacked = opened.files["a.csv"]
        assert unpacked.exists()
    assert not unpacked.exists()


@pytest.mark.parametrize(
    "name", ["../evil.csv", "/etc/evil.csv", "a/../../evil.csv", "..\\evil.csv"]
)
@pytest.mark.parametrize("make", [_zip, _tar])
def test_a_member_that_points_out_is_refused(
    tmp_path: Path, name: str, make: Maker
) -> None:
    with (
        pytest.raises(LoadError, match="points out of it"),
        open_source(make(tmp_path / "x", {name: b"x"})),
    ):
        pass


def test_links_are_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    path = tmp_path / "x.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("a.csv")
        info.type, info.linkname = tarfile.SYMTYPE, str(secret)
        archive.addfile(info)
        info = tarfile.TarInfo("b.csv")
        archive.addfile(info, io.BytesIO(b""))
    with open_source(path) as opened:
        assert opened.names == ("b.csv",)
        assert opened.unread == {"a.csv": "a link"}
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive_zip:
        member = zipfile.ZipInfo("a.csv")
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive_zip.writestr(member, str(secret))
        archive_zip.writestr("b.csv", b"")
    with open_source(path) as opened:
        assert opened.names == ("b.csv",)
        assert opened.unread == {"a.csv": "a link"}


@pytest.mark.parametrize("make", [_zip, _tar])
def test_a_bomb_is_stopped(
    tmp_path: Path, make: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "x", {"a.csv": b"0" * 700, "b.csv": b"0" * 700})
    monkeypatch.setattr(source_module, "MAX_UNPACKED_BYTES", 1000)
    with pytest.raises(LoadError, match="more than 1,000 bytes"), open_source(path):
        pass
    monkeypatch.setattr(source_module, "MAX_UNPACKED_BYTES", 2000)
    monkeypatch.setattr(source_module, "MAX_MEMBERS", 1)
    with pytest.raises(LoadError, match="more than 1 files"), open_source(path):
        pass


def test_a_file_beyond_the_limit_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_bytes(b"0" * 20)
    monkeypatch.setattr(source_module, "MAX_FILE_BYTES", 10)
    with (
        open_source(tmp_path / "a.csv") as opened,
        pytest.raises(LoadError, match="20 bytes"),
    ):
        opened.read("a.csv")


def test_a_name_that_stands_twice_in_an_archive_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tgz", "w:gz") as archive:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo("a.csv"), io.BytesIO(b""))
    with (
        pytest.raises(LoadError, match=r"a\.csv twice"),
        open_source(tmp_path / "x.tgz"),
    ):
        pass


def _cut(path: Path) -> Path:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return path


def test_broken_archives_are_one_line(tmp_path: Path) -> None:
    noise = {"a.csv": os.urandom(5000)}
    broken = [
        _cut(_zip(tmp_path / "cut.zip", noise)),
        _cut(_tar(tmp_path / "cut.tar.gz", noise)),
    ]
    for path in broken:
        with pytest.raises(LoadError, match="cannot be unpacked") as caught:
            _content(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("page.zip", b"<!DOCTYPE html>", "named like an archive but is none"),
        ("x.tar.gz", b"plain", "named like an archive but is none"),
        ("x.TGZ", b"plain", "named like an archive but is none"),
        ("x.tar", b"plain", r"another kind; \.zip and \.tar\.gz are read"),
        ("x.tar.xz", b"\xfd7zXZ\0", r"another kind; \.zip and \.tar\.gz are read"),
        ("x.7z", b"7z\xbc\xaf", r"another kind; \.zip and \.tar\.gz are read"),
        (
            "x.csv.gz",
            gzip.compress(b"a,b", mtime=0),
            "or unpack it and give the folder",
        ),
    ],
)
def test_what_only_looks_like_an_archive(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LoadError, match=words), open_source(tmp_path / name):
        pass


def test_nothing_there(tmp_path: Path) -> None:
    with (
        pytest.raises(LoadError, match="no such file or folder"),
        open_source(tmp_path / "absent"),
    ):
        pass
    (tmp_path / "empty").mkdir()
    with (
        pytest.raises(LoadError, match="holds no file"),
        open_source(tmp_path / "empty"),
    ):
        pass
    with (
        pytest.raises(LoadError, match="holds no file"),
        open_source(_zip(tmp_path / "e.zip", {})),
    ):
        pass


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/x.zip",
        "ftp://example.org/x.zip",
        "file:///etc/passwd",
        "http://127.0.0.1.example.org/x.zip",
        "http://localhost.example.org/x.zip",
        "https:///x.zip",
    ],
)
def test_unsafe_addresses_are_refused_before_any_request(address: str) -> None:
    with pytest.raises(LoadError, match="only https"), open_source(address):
        pass


def test_messages_hide_what_is_secret_in_an_address() -> None:
    with (
        pytest.raises(LoadError) as caught,
        open_source("http://me:secret@example.org/x.zip?token=hidden#part"),
    ):
        pass
    assert "secret" not in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert "http://example.org/x.zip" in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:secret@[::1/x.zip?token=hidden",
        "https://me:secret@example.org:x/x.zip?token=hidden",
    ],
)
def test_an_address_that_is_none_is_one_line_without_its_secrets(address: str) -> None:
    with pytest.raises(LoadError, match="is no address") as caught:
        _content(address)
    assert "secret" not in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_a_host_that_cannot_be_is_one_line() -> None:
    # a label of a domain has at most 63 characters
    with pytest.raises(LoadError, match="cannot be fetched") as caught:
        _content(f"https://{'a' * 70}.invalid/x.zip")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "the source is an empty text; name a folder"),
        ("x" * 300, r"x{300} cannot be opened \(File name too long\)"),
        ("~nobody-of-this-name/x", "~nobody-of-this-name/x cannot be opened"),
        ("absent\udcff", r"no such file or folder: absent\\xff"),
    ],
)
def test_a_path_that_cannot_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, words: str
) -> None:
    (tmp_path / "a.csv").write_bytes(b"1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LoadError, match=words) as caught:
        _content(source)
    assert "\n" not in str(caught.value)


def test_a_member_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"a member without a name \('\.'\)"):
        _content(_zip(tmp_path / "x.zip", {".": b"x"}))


def test_what_is_no_file_is_named_and_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _folder(tmp_path / "d", FILES)
    os.mkfifo(folder / "pipe.csv")
    (folder / "lost.csv").symlink_to("nowhere")
    (folder / "round.csv").symlink_to("round.csv")
    (folder / "elsewhere").symlink_to(tmp_path)
    (folder / "to-pipe.csv").symlink_to("pipe.csv")
    (folder / "same.csv").symlink_to("a.csv")
    # from inside: the path of a socket is short
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("plug")
    with open_source(folder) as opened:
        assert opened.names == ("a.csv", "deep/b.csv", "same.csv")
        assert opened.unread == {
            "elsewhere": "a link to a folder",
            "lost.csv": "a link that leads nowhere",
            "pipe.csv": "a named pipe",
            "plug": "a socket",
            "round.csv": "a link that leads nowhere",
            "to-pipe.csv": "a named pipe",
        }


def test_a_folder_of_lost_links_alone_says_so(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "d", {})
    folder.mkdir()
    (folder / "lost.csv").symlink_to("nowhere")
    with pytest.raises(
        LoadError, match=r"holds no file but lost\.csv, a link that leads nowhere"
    ):
        _content(folder)


def _needs_names_of_any_bytes(folder: Path) -> None:
    try:
        (folder / "\udcff").touch()
    except OSError:
        pytest.skip("this file system takes UTF-8 names alone")
    (folder / "\udcff").unlink()


def test_names_of_any_bytes(tmp_path: Path) -> None:
    _needs_names_of_any_bytes(tmp_path)
    members = {"\udcff.csv": b"1", "d\udcfe/b.csv": b"2"}
    readable = {"\\xff.csv": b"1", "d\\xfe/b.csv": b"2"}
    folder = _folder(tmp_path / "f\udcfd", members)
    with open_source(folder) as opened:
        assert opened.label == f"{tmp_path}/f\\xfd"
        assert {name: opened.read(name) for name in opened.names} == readable
    assert _content(folder / "\udcff.csv") == {"\\xff.csv": b"1"}
    assert _content(_tar(tmp_path / "x.tar.gz", members)) == readable
    # a name that reads the same must not take the other's place
    (folder / "\\xff.csv").write_bytes(b"3")
    with pytest.raises(LoadError, match="twice; rename one"):
        _content(folder)


def test_a_member_whose_name_is_not_the_text_it_claims(tmp_path: Path) -> None:
    path = _zip(tmp_path / "x.zip", {"é.csv": b"x"})
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xff"))
    with pytest.raises(LoadError, match="cannot be unpacked"):
        _content(path)
