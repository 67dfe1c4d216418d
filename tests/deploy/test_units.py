"""The systemd units: what they promise, read as systemd reads them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.pretended import DEPLOY

UNITS = DEPLOY / "units"


def settings(name: str) -> dict[str, list[str]]:
    """Key -> values of a unit, sections left aside (no key here stands in two sections)."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def test_the_service_is_watched_and_always_comes_back() -> None:
    unit = settings("companion.service")
    assert unit["Type"] == ["notify"]
    assert 10 <= int(unit["WatchdogSec"][0]) <= 60
    assert unit["Restart"] == ["always"]
    assert unit["StartLimitIntervalSec"] == ["0"]


def test_the_service_has_its_own_user_one_folder_and_no_way_out_of_the_house() -> None:
    unit = settings("companion.service")
    assert unit["User"] == ["companion"]
    assert unit["StateDirectory"] == ["companion"]
    assert unit["ProtectSystem"] == ["strict"]
    assert unit["NoNewPrivileges"] == ["yes"]
    assert unit["CapabilityBoundingSet"] == [""]
    assert unit["IPAddressDeny"] == ["any"]
    assert "0.0.0.0/0" not in " ".join(unit["IPAddressAllow"])
    assert "char-video4linux rw" in unit["DeviceAllow"]


def test_the_program_the_units_start_is_the_one_the_installer_puts_there() -> None:
    installer = (DEPLOY / "install.sh").read_text(encoding="utf-8")
    assert "/opt/companion" in installer
    assert settings("companion.service")["ExecStart"][0].startswith("/opt/companion/current/venv/bin/companion serve ")
    for unit in UNITS.iterdir():
        assert unit.name in installer, f"{unit.name} is never installed"


def test_every_setting_the_units_use_is_in_the_settings_file() -> None:
    written = (DEPLOY / "companion.conf").read_text(encoding="utf-8")
    for name in ("companion.service", "companion-kiosk.service"):
        words = (UNITS / name).read_text(encoding="utf-8").replace("{", "").replace("}", "").replace("$", " $").split()
        for word in words:
            if word.startswith("$COMPANION"):
                assert f"\n{word[1:].split('/')[0]}=" in written


@pytest.mark.parametrize("name", [path.name for path in sorted(UNITS.iterdir())])
def test_systemd_understands_every_line(name: str, tmp_path: Path) -> None:
    checker = shutil.which("systemd-analyze")
    if checker is None:
        pytest.skip("systemd-analyze is not installed")
    for unit in UNITS.iterdir():
        shutil.copy(unit, tmp_path)
    answer = subprocess.run(
        [checker, "verify", "--man=no", str(tmp_path / name)], capture_output=True, text=True, check=False, timeout=60
    )
    complaints = [line for line in answer.stderr.splitlines() if name in line and "is not executable" not in line]
    assert complaints == []


def test_the_pin_is_on_no_command_line_where_every_user_could_read_it() -> None:
    assert "PIN" not in settings("companion.service")["ExecStart"][0]


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("companion.service", 2.0),
        ("companion-backup.service", 1.5),
        ("companion-kiosk.service", 3.0),
        ("companion-hall.service", 2.0),
        ("companion-first-start.service", 2.0),
    ],
)
def test_systemd_finds_little_that_a_unit_could_do_without(name: str, most: float) -> None:
    checker = shutil.which("systemd-analyze")
    if checker is None:
        pytest.skip("systemd-analyze is not installed")
    answer = subprocess.run(
        [checker, "security", "--offline=true", "--no-pager", str(UNITS / name)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    found = re.search(r"Overall exposure level for \S+: (\d+\.\d+)", answer.stdout)
    assert found is not None, answer.stderr
    assert float(found[1]) <= most


def test_the_copying_keeps_one_right_of_roots() -> None:
    """It reads what only the companion's user may read, and writes where only root may."""
    unit = settings("companion-backup.service")
    assert unit["CapabilityBoundingSet"] == ["CAP_DAC_READ_SEARCH"]
    assert unit["ReadWritePaths"] == ["/var/backups/companion"]
    assert 'install -d -m 0700 "$BACKUPS"' in (DEPLOY / "install.sh").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["companion.service", "companion-hall.service"])
def test_a_page_may_ask_for_the_interfaces_whose_address_it_tells(name: str) -> None:
    assert "AF_NETLINK" in settings(name)["RestrictAddressFamilies"][0].split()


HARD = {
    "UMask", "NoNewPrivileges", "CapabilityBoundingSet", "AmbientCapabilities", "ProtectSystem", "ProtectHome",
    "PrivateTmp", "PrivateMounts", "ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs",
    "ProtectControlGroups", "ProtectClock", "ProtectHostname", "ProtectProc", "RestrictNamespaces", "RestrictRealtime",
    "RestrictSUIDSGID", "RestrictAddressFamilies", "LockPersonality", "RemoveIPC", "SystemCallArchitectures",
    "SystemCallFilter", "SystemCallErrorNumber", "DevicePolicy", "IPAddressDeny", "MemoryMax", "TasksMax",
}  # fmt: skip
"""Settings by which every service gives up rights."""


@pytest.mark.parametrize("name", [path.name for path in sorted(UNITS.glob("*.service"))])
def test_every_service_is_as_closed_as_the_others(name: str) -> None:
    unit = settings(name)
    assert HARD - unit.keys() == set()
    assert unit["UMask"] == ["0077"] and unit["ProtectSystem"] == ["strict"] and unit["IPAddressDeny"] == ["any"]
    # A login moves the service into a session of its own, out of every limit on this unit's cgroup.
    assert "PAMName" not in unit
    # A browser's own sandbox needs a call or two of these.
    if "User" in unit and name != "companion-kiosk.service":
        assert any(words.startswith("~@privileged") for words in unit["SystemCallFilter"])
