"""Safe mode: chosen by a person, or by the program itself after several starts that went wrong; never for good."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.app.restart import arguments_again
from companion.app.safe_mode import FEW_STARTS, STARTS_FILE, STEADY_S, WITHIN_S, SafeMode
from companion.app.state import AppState
from companion.web.repair_texts import in_english
from tests.web.conftest import anyone, app, app_state, clock, keeper, session  # noqa: F401
from tests.web.fakes import FakeClock


class Boot:
    """One start of the machine, on which the program may be started many times."""

    def __init__(self, folder: Path, name: str = "boot-1") -> None:
        self.folder, self.name, self.clock = folder, name, FakeClock()

    def start(self, lives_s: float = 1.0, *, ended_by_somebody: bool = False) -> bool:
        mode = SafeMode(self.folder, monotonic=self.clock, boot=self.name)
        safe = mode.begin()
        self.clock.now_s += lives_s
        if lives_s >= STEADY_S or ended_by_somebody:
            mode.steady()
        return safe


@pytest.fixture
def boot(tmp_path: Path) -> Boot:
    return Boot(tmp_path)


def test_a_program_that_ends_again_and_again_starts_safely(boot: Boot) -> None:
    assert [boot.start() for _ in range(FEW_STARTS + 2)] == [False] * FEW_STARTS + [True, True]
    [case] = SafeMode(boot.folder, monotonic=boot.clock, boot=boot.name).repairs()
    assert in_english(case) == "The box runs in safe mode: it stopped 3 times in a row soon after starting."


def test_starts_that_went_well_are_not_counted(boot: Boot) -> None:
    assert not any(boot.start(STEADY_S) for _ in range(10))
    assert not any(boot.start(ended_by_somebody=True) for _ in range(10))


def test_starts_long_ago_or_of_another_boot_are_not_counted(boot: Boot, tmp_path: Path) -> None:
    for _ in range(10):
        assert not boot.start()
        boot.clock.now_s += WITHIN_S
    assert not boot.start() and not boot.start()
    assert not any(Boot(tmp_path, f"boot-{n}").start() for n in range(2, 9))


def test_it_stays_until_a_person_wants_the_normal_start(boot: Boot) -> None:
    for _ in range(FEW_STARTS):
        boot.start()
    assert boot.start(STEADY_S) and boot.start(STEADY_S)
    SafeMode(boot.folder, monotonic=boot.clock, boot=boot.name).choose(False)
    assert not boot.start()


def test_a_person_may_choose_it(boot: Boot) -> None:
    SafeMode(boot.folder, monotonic=boot.clock, boot=boot.name).choose(True)
    assert boot.start(STEADY_S) and boot.start(STEADY_S)
    [case] = SafeMode(boot.folder, monotonic=boot.clock, boot=boot.name).repairs()
    assert case.code == "SAFE_MODE"


def test_somebody_at_a_terminal_is_not_counted(tmp_path: Path) -> None:
    assert not any(SafeMode(tmp_path).begin(counted=False) for _ in range(9))


@pytest.mark.parametrize("content", ["", "[]", '{"safe": true}', '{"safe": 1, "ended": "x", "starts": 5, "boot": ""}'])
def test_a_file_that_makes_no_sense_starts_normally_and_is_set_aside(tmp_path: Path, content: str) -> None:
    (tmp_path / STARTS_FILE).write_text(content, encoding="utf-8")
    aside: list[Path] = []
    assert not SafeMode(tmp_path, aside.append).begin()
    assert len(aside) == 1


def test_starting_again_drops_the_word_that_said_safely() -> None:
    words = ["/usr/bin/python3", "/opt/bin/companion", "serve", "--safe", "--camera", "usb:0"]
    assert arguments_again(words) == [sys.executable, "/opt/bin/companion", "serve", "--camera", "usb:0"]


def test_the_page_starts_in_safe_mode_and_out_of_it(
    anyone: FlaskClient,  # noqa: F811
    keeper: FlaskClient,  # noqa: F811
    app_state: AppState,  # noqa: F811
    tmp_path: Path,
) -> None:
    wanted: list[bool] = []
    assert "Start in safe mode" not in keeper.get("/repairs").text, "whoever started the program has to"
    assert keeper.post("/safe-mode", data={}).status_code == 404
    app_state.restart_in = wanted.append
    assert anyone.post("/safe-mode").status_code in (303, 401) and wanted == []
    assert "Start in safe mode" in keeper.get("/repairs").text
    assert keeper.post("/safe-mode", data={}).status_code in (200, 303)
    assert wanted == [True]
    mode = SafeMode(tmp_path)
    app_state.repairs.check(mode.repairs)
    app_state.repairs.actions["SAFE_MODE"] = lambda: wanted.append(False)
    page = keeper.get("/repairs").text
    assert "The box runs in safe mode" in page and "Start in safe mode" not in page
    assert "The box runs in safe mode" in anyone.get("/tv").text
    [case] = mode.repairs()
    assert keeper.post(f"/repairs/{case.id}/do", data={}).status_code in (200, 303)
    assert wanted == [True, False]
