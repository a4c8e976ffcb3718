"""The published release, loaded: all rows there, the same from every form of source."""

from __future__ import annotations

import contextlib
import http.server
import shutil
import ssl
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import LoadError
from ingest.hotel.release import LoadReport, load_hotel
from ingest.warehouse import open_database


def _query(path: Path, query: str) -> list[tuple[Any, ...]]:
    with open_database(path, read_only=True) as connection:
        return connection.execute(query).fetchall()


def _assert_accounts(warehouse: Path) -> None:
    """Hold the warehouse to: read = accepted + quarantined + superseded, to the row."""
    unbalanced = _query(
        warehouse,
        "select * from quality.row_accounting "
        "where rows_read != rows_accepted + rows_quarantined + rows_superseded",
    )
    assert unbalanced == []
    tables = ("task", "response", "run", "hotel", "capability_score")
    for table in tables:
        ((raw,),) = _query(warehouse, f"select count(*) from raw_hotel.{table}")
        ((accepted,),) = _query(
            warehouse,
            "select coalesce(sum(rows_accepted), 0) from quality.row_accounting "
            f"where table_name = '{table}'",
        )
        assert raw == accepted, table
    ((aside,), (counted,)) = (
        _query(warehouse, "select count(*) from quality.quarantine")[0],
        _query(
            warehouse,
            "select coalesce(sum(rows_quarantined), 0) from quality.row_accounting",
        )[0],
    )
    assert aside == counted


@pytest.fixture(scope="module")
def loaded(
    release_hotel: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, LoadReport]:
    warehouse = tmp_path_factory.mktemp("release") / "w.duckdb"
    return warehouse, load_hotel(release_hotel, warehouse)


@pytest.mark.release
def test_every_row_of_the_release_is_loaded(loaded: tuple[Path, LoadReport]) -> None:
    warehouse, report = loaded
    assert report.errors == ()
    assert report.quarantined == 0
    # counts of the release's own description: 3,600 + 300 tasks; four models with
    # 2 x 3,600 answers, four variants of 2 x 900, one of 2 x 300, one of 2 x 1,800
    counts = dict(
        _query(
            warehouse,
            "select table_name, sum(rows_accepted) from quality.row_accounting "
            "group by all",
        )
    )
    assert counts["task"] == 3600 + 300
    assert counts["response"] == 4 * 7200 + 4 * 1800 + 600 + 3600
    assert counts["run"] == 4 + 4 + 1 + 1
    assert counts["hotel"] == 179
    assert counts["capability_score"] == 28
    _assert_accounts(warehouse)


@pytest.mark.release
def test_files_that_are_no_hotel_data_are_listed(
    loaded: tuple[Path, LoadReport],
) -> None:
    _, report = loaded
    assert "published/triage.csv" in report.ignored
    assert "tasks_binary_r2.csv" in report.ignored
    assert not any("conjoint" in name for name in report.ignored)


@pytest.mark.release
def test_values_come_through_to_the_digit(loaded: tuple[Path, LoadReport]) -> None:
    warehouse, _ = loaded
    # line 1802 of the task file: the first ternary task, third option with .0 numbers
    assert _query(
        warehouse,
        "select task_id, a_name, c_hotel_id, c_stars, c_review_score, c_review_count, "
        "c_price::varchar, _source_row from raw_hotel.task where task_id = 1801",
    ) == [(1801, "The Pierre, A Taj Hotel", 178, 5.0, 8.6, 1094, "701.00", 1802)]
    assert _query(
        warehouse,
        "select id_offset, count(*), count(choice) from raw_hotel.response "
        "where ordering = 'swapped' group by all",
    ) == [(10000, 20100, 20100)]


@pytest.mark.release
def test_loading_twice_changes_nothing(
    loaded: tuple[Path, LoadReport], release_hotel: Path
) -> None:
    warehouse, first = loaded
    before = warehouse.read_bytes()
    report = load_hotel(release_hotel, warehouse)
    assert (report.rows, report.files, report.errors) == (0, (), ())
    assert set(report.skipped) == {one.source_file for one in first.files}
    assert warehouse.read_bytes() == before


@pytest.mark.release
def test_an_archive_of_the_release_is_the_same_release(
    loaded: tuple[Path, LoadReport], release_hotel: Path, tmp_path: Path
) -> None:
    warehouse, _ = loaded
    archive = tmp_path / "main.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(release_hotel, "some-repository-3f033a59/data")
    report = load_hotel(archive, warehouse)
    assert (report.rows, report.errors) == (0, ())


@pytest.mark.release
def test_a_published_swap_file_under_other_offsets_is_the_same_answers(
    loaded: tuple[Path, LoadReport], release_hotel: Path, tmp_path: Path
) -> None:
    name = "conjoint_results_gemma2_9b_swap.csv"
    header, *lines = (release_hotel / name).read_text().splitlines()
    moved = {
        offset: [
            f"{int(task_id) - 10000 + offset},{rest}"
            for task_id, _, rest in (line.partition(",") for line in lines)
        ]
        for offset in (0, 1000)
    }
    # one file without an offset, one with a second block under an older one
    bodies = {"none": moved[0], "twice": lines + moved[1000]}
    source = tmp_path / "source"
    source.mkdir()
    for tag, body in bodies.items():
        path = source / f"conjoint_results_{tag}_swap.csv"
        path.write_text("\n".join([header, *body]) + "\n")
    shutil.copy(release_hotel / "conjoint_tasks.csv", source)
    report = load_hotel(source, tmp_path / "w.duckdb")
    assert (report.errors, report.quarantined, report.notes) == ((), 0, ())
    query = (
        "select bank_task_id, choice, raw_output from raw_hotel.response "
        "where run_id = 'release/{}' and ordering = 'swapped' {} order by 1"
    )
    published = _query(loaded[0], query.format("gemma2_9b", ""))
    assert len(published) == 3600
    for tag, offset in (("none", 0), ("twice", 10000), ("twice", 1000)):
        block = query.format(tag, f"and id_offset = {offset}")
        assert _query(tmp_path / "w.duckdb", block) == published


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, redirects, and cuts a body short."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer by the first folder of the path."""
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/moved"))
            self.end_headers()
        elif self.path.startswith("/away/"):
            self.send_response(302)
            self.send_header("Location", "http://example.org/x.zip")
            self.end_headers()
        elif self.path.startswith("/cut/"):
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b"PK\x03\x04")
        else:
            super().do_GET()


@contextlib.contextmanager
def _server(folder: Path, context: ssl.SSLContext | None = None) -> Iterator[str]:
    handler = partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    scheme = "http" if context is None else "https"
    try:
        yield f"{scheme}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def archived(small_release: Any, tmp_path: Path) -> Path:
    """A small release as the archive a code host would give."""
    small_release.tasks()
    small_release.answers("phi", ["1,A,A", "2,B,B"])
    served = tmp_path / "served"
    served.mkdir()
    with zipfile.ZipFile(served / "main.zip", "w") as archive:
        for path in small_release.folder.iterdir():
            archive.write(path, f"repository-main/{path.name}")
    (served / "page").write_text("<!DOCTYPE html><p>Sign in</p>")
    return served


@pytest.mark.parametrize("path", ["/main.zip", "/moved/main.zip", "/main.zip?x=1"])
def test_an_address_of_an_archive(archived: Path, tmp_path: Path, path: str) -> None:
    said: list[str] = []
    with _server(archived) as address:
        report = load_hotel(address + path, tmp_path / "w.duckdb", progress=said.append)
    # 6 tasks, 2 answers, 1 run
    assert (report.rows, report.errors) == (9, ())
    assert {one.source_file for one in report.files} == {
        "conjoint_tasks.csv",
        "conjoint_results_phi.csv",
    }
    assert any("fetching" in line for line in said)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/absent.zip", "answered 404"),
        ("/page", "not a .zip or .tar.gz"),
        ("/cut/x.zip", "cannot be fetched"),
        ("/away/x.zip", "only https"),
    ],
)
def test_an_address_that_gives_no_archive(
    archived: Path, tmp_path: Path, path: str, words: str
) -> None:
    with (
        _server(archived) as address,
        pytest.raises(LoadError, match=words) as caught,
    ):
        load_hotel(address + path, tmp_path / "w.duckdb")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "w.duckdb").exists()


def test_nobody_listens(tmp_path: Path) -> None:
    with _server(tmp_path) as address:
        pass
    with pytest.raises(LoadError, match="cannot be fetched"):
        load_hotel(f"{address}/main.zip", tmp_path / "w.duckdb")


def _certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that its own holder has signed."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(UTC)
    own_address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(own_address, critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
    )
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return folder / "cert.pem", folder / "key.pem"


def test_an_https_address(
    archived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = _certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with _server(archived, context) as address:
        # a certificate that nobody trusts is refused, a trusted one is taken
        with pytest.raises(LoadError, match=r"cannot be fetched .*CERTIFICATE"):
            load_hotel(f"{address}/main.zip", tmp_path / "w.duckdb")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        report = load_hotel(f"{address}/main.zip", tmp_path / "w.duckdb")
    assert (report.rows, report.errors) == (9, ())
