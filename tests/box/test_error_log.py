"""After a failure the service's log has a line about it, once a minute, and no secret."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import companion.web.serving as serving
from bench.stand_ins.fakes import FakeClock
from companion.cli.serve import SAY_AGAIN_S, ErrorLog, serve


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def said(clock: FakeClock) -> Iterator[io.StringIO]:
    out = io.StringIO()
    handler = ErrorLog(("4711", "s3cr3t"), out=lambda: out, clock=clock)
    log = logging.getLogger("tests.errors")
    log.addHandler(handler)
    yield out
    log.removeHandler(handler)


def fail(words: str = "broken") -> None:
    try:
        raise ValueError(words)
    except ValueError:
        logging.getLogger("tests.errors").exception("%s failed", "the page")


def test_an_error_stands_there_with_its_traceback(said: io.StringIO) -> None:
    fail()
    assert "ERROR tests.errors: the page failed" in said.getvalue()
    assert "Traceback" in said.getvalue() and "ValueError: broken" in said.getvalue()


def test_of_one_kind_one_a_minute_is_said_and_how_many_were_left_out(said: io.StringIO, clock: FakeClock) -> None:
    for n in range(500):
        fail(f"picture {n}")
    assert said.getvalue().count("Traceback") == 1
    logging.getLogger("tests.errors").error("another kind")
    assert "another kind" in said.getvalue()
    clock.now_s += SAY_AGAIN_S
    fail("picture 500")
    assert said.getvalue().count("Traceback") == 2 and "499 more like it" in said.getvalue()


def test_no_secret_stands_there(said: io.StringIO) -> None:
    fail("rtsp://ann:s3cr3t@host/x answered to 4711")
    assert (
        "s3cr3t" not in said.getvalue() and "4711" not in said.getvalue() and "rtsp://ann:…@host/x" in said.getvalue()
    )


def test_a_page_that_fails_leaves_its_traceback_in_the_services_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`companion serve` sets the log up: a view that fails shows on stderr, without the PIN that came with it."""

    def serve_on(app, sock) -> None:  # type: ignore[no-untyped-def]
        def broken() -> str:
            raise RuntimeError("no such thing as 135790")

        app.add_url_rule("/broken", view_func=broken)
        assert app.test_client().get("/broken").status_code == 500

    monkeypatch.setattr(serving, "serve_on", serve_on)
    monkeypatch.setenv("COMPANION_PIN", "135790")
    done = CliRunner().invoke(serve, ["--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "RuntimeError: no such thing as …" in done.stderr and "in broken" in done.stderr
    assert "135790" not in done.output
