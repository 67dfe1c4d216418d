"""The short version of the fuzzing: a fixed number of harmed inputs at every door."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.attacks.fuzz import doors, knock
from bench.attacks.fuzz_http import HttpDoor
from bench.attacks.fuzz_shapes import knock_with_shapes
from bench.attacks.fuzz_values import SIGNED, attack

pytestmark = pytest.mark.slow

NAMES = ("journal", "notation", "setup", "judge", "pictures", "http", "broker", "outbox", "pins")


@pytest.mark.parametrize("name", NAMES)
def test_a_door_refuses_in_one_line_or_takes_what_it_can(name: str, tmp_path: Path) -> None:
    known = doors(tmp_path)
    assert set(known) == set(NAMES)
    assert knock(known[name], seed=7, tries=100) == 100
    assert knock_with_shapes(name, known[name], start=7, tries=30) >= 30


def test_the_http_door_leads_into_the_page(tmp_path: Path) -> None:
    """A fuzzer whose every request is refused at the threshold would find nothing."""
    door = HttpDoor(tmp_path / "page")
    statuses = [door(sample) for sample in HttpDoor.SAMPLES]
    assert statuses.count(200) > 20
    assert door(b"GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n") == 421
    assert door(b"\x00\xff") is None


def test_no_value_of_any_field_makes_the_page_fail(tmp_path: Path) -> None:
    seen = attack(300, seed=7, folder=tmp_path / "page")
    assert sum(seen.values()) == 300 and seen[200] > 20
    assert {status for status in seen if status >= 500} == set()


def test_what_is_no_number_and_what_is_no_hand_is_refused(tmp_path: Path) -> None:
    client = HttpDoor(tmp_path / "page").client()
    for seq in ("--1", "9" * 400, "-" + "9" * 400, "²", "1_000"):
        for body in (f'{{"seq": "{seq}", "choice": 0}}', f'{{"seq": {seq}, "choice": 0}}'):
            answer = client.post("/api/answer", data=body, headers={**SIGNED, "Content-Type": "application/json"})
            assert answer.status_code == 400, body
    for hand in (False, True, 0, {}, "no"):
        answer = client.post("/api/show-hand", json={"by": "Ann", "tiles": hand}, headers=SIGNED)
        assert answer.status_code == 400, hand


@pytest.mark.parametrize("host", [b".5", b".", b"..", b"-", b"[", b"a b"])
def test_a_host_that_is_no_name_is_refused_in_words(host: bytes, tmp_path: Path) -> None:
    """Found by following the branches: Flask then has no addresses to build, and the page of faults must not ask."""
    status = HttpDoor(tmp_path / "page")(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nCookie: lang=ru\r\n\r\n")
    assert status in (400, 421)
