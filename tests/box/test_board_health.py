"""Supply, heat and card: read from a made-up sysfs, said on the list of repairs and by the doctor."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.app.board_health import BoardHealth, board_health
from companion.app.checkup import Machine, check_board, check_games
from companion.log.copies import journal_of, keep_copy
from companion.log.events import Drew
from companion.log.header import Header
from companion.log.journal import Journal
from companion.web.repair_texts import in_english


def machine(root: Path, **files: str) -> Path:
    places = {
        "throttled": "sys/devices/platform/soc/soc:firmware/get_throttled",
        "volt_name": "sys/class/hwmon/hwmon1/name",
        "volt_alarm": "sys/class/hwmon/hwmon1/in0_lcrit_alarm",
        "temp": "sys/class/thermal/thermal_zone0/temp",
        "errors": "sys/fs/ext4/mmcblk0p2/errors_count",
        "written": "sys/fs/ext4/mmcblk0p2/lifetime_write_kbytes",
        "life": "sys/block/mmcblk0/device/life_time",
    }
    for name, content in files.items():
        path = root / places[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n", encoding="ascii")
    return root


def codes(root: Path) -> list[str]:
    found = board_health(root).repairs()
    assert all(in_english(repair) and "%(" not in in_english(repair) for repair in found)
    return [repair.code for repair in found]


def test_a_machine_that_tells_nothing_has_nothing_to_repair(tmp_path: Path) -> None:
    assert board_health(tmp_path) == BoardHealth()
    assert codes(tmp_path) == []
    assert check_board(Machine(root=tmp_path)).ok


def test_a_healthy_board_has_nothing_to_repair(tmp_path: Path) -> None:
    root = machine(
        tmp_path, throttled="0", volt_name="rpi_volt", volt_alarm="0", temp="51234", errors="0", life="0x01 0x02"
    )
    assert codes(root) == []
    assert board_health(root).hottest_c == pytest.approx(51.234)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"throttled": "50005"}, ["SUPPLY_WEAK"]),
        ({"throttled": "10000"}, ["SUPPLY_WEAK"]),
        ({"volt_name": "rpi_volt", "volt_alarm": "1"}, ["SUPPLY_WEAK"]),
        ({"volt_name": "nvme", "volt_alarm": "1"}, []),
        ({"temp": "80000"}, ["TOO_HOT"]),
        ({"throttled": "e0000", "temp": "60000"}, ["WAS_SLOWED"]),
        ({"errors": "7"}, ["CARD_ERRORS"]),
        ({"life": "0x02 0x09"}, ["CARD_WORN"]),
        ({"life": "0x00 0x00"}, []),
        ({"life": "nonsense", "errors": "x", "temp": "", "throttled": "zz"}, []),
    ],
)
def test_what_the_board_tells_is_on_the_list(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert codes(machine(tmp_path, **files)) == expected


def test_the_doctor_names_a_worn_card_with_its_mend(tmp_path: Path) -> None:
    finding = check_board(Machine(root=machine(tmp_path, temp="45000", life="0x0a 0x01", written="12000000")))
    assert not finding.ok and not finding.needed
    assert finding.found == "45 °C, card worn to 10 tenths, 12 GB written to the card"
    assert "new card" in finding.mend


def test_the_doctor_reads_every_game_and_changes_none(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "games", "game-0001")
    path.parent.mkdir(parents=True)
    with Journal.create(path, Header("tactic", "double-9", ("Ann", "Ben"))) as journal:
        journal.append_all([Drew(by="Ann")] * 5)
        keep_copy(tmp_path / "games", "game-0001", journal.content)
    assert check_games(Machine(data=tmp_path)).found == "1 games, 1 copies, all whole"
    damaged = path.read_bytes().replace(b"Ann", b"Bob", 3)
    path.write_bytes(damaged)
    finding = check_games(Machine(data=tmp_path))
    assert not finding.ok and "damaged: game-0001" in finding.found and finding.mend
    assert path.read_bytes() == damaged
