"""How the board and its card are: supply, temperature, errors and wear, as the kernel tells everybody.

Read from sysfs alone, in a millisecond and without rights; what a machine does not tell is no finding. Sources: the
Raspberry Pi firmware's throttling bits (0 under-voltage, 1 capped, 2 throttled, 3 soft limit; 16 to 19 the same since
the start), hwmon's rpi_volt, thermal zones in thousandths of a degree, ext4's error count, and JEDEC's life time
estimate of an eMMC or card in tenths.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from companion.storage.repairs import Repair

TOO_HOT_C = 80.0
"""From here on a Raspberry Pi slows itself down."""

WORN_TENTHS = 9
"""Of a card's life; then it is time for another."""

UNDER_VOLTAGE = 1 << 0 | 1 << 16
SLOWED = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 17 | 1 << 18 | 1 << 19


@dataclass(frozen=True, slots=True)
class BoardHealth:
    """What the machine tells; None: it does not."""

    throttled: int | None = None
    under_voltage_now: bool = False
    hottest_c: float | None = None
    card_errors: int | None = None
    card_worn_tenths: int | None = None
    written_gb: float | None = None

    @property
    def supply_was_weak(self) -> bool:
        return self.under_voltage_now or bool((self.throttled or 0) & UNDER_VOLTAGE)

    @property
    def was_slowed(self) -> bool:
        return bool((self.throttled or 0) & SLOWED)

    def repairs(self) -> tuple[Repair, ...]:
        found = []
        if self.supply_was_weak:
            found.append(Repair("SUPPLY_WEAK"))
        if self.hottest_c is not None and self.hottest_c >= TOO_HOT_C:
            found.append(Repair("TOO_HOT"))
        elif self.was_slowed and not self.supply_was_weak:
            found.append(Repair("WAS_SLOWED"))
        if self.card_errors:
            found.append(Repair("CARD_ERRORS", {"count": self.card_errors}))
        if self.card_worn_tenths is not None and self.card_worn_tenths >= WORN_TENTHS:
            found.append(Repair("CARD_WORN", {"tenths": self.card_worn_tenths}))
        return tuple(found)


def board_health(root: Path = Path("/")) -> BoardHealth:
    """Look at the machine whose file system begins at `root`."""
    sys = root / "sys"
    throttled = [_number(path, 16) for path in sys.glob("devices/platform/soc*/soc*firmware/get_throttled")]
    supplies = [path.parent for path in sys.glob("class/hwmon/hwmon*/name") if _text(path) == "rpi_volt"]
    degrees = [_number(path) for path in sys.glob("class/thermal/thermal_zone*/temp")]
    errors = [_number(path) for path in sys.glob("fs/ext4/*/errors_count")]
    written = [_number(path) for path in sys.glob("fs/ext4/mmcblk*/lifetime_write_kbytes")]
    worn = [_worst_tenth(path) for path in sys.glob("block/mmcblk*/device/life_time")]
    hottest = _most(degrees)
    kilobytes = _most(written)
    return BoardHealth(
        throttled=_most(throttled),
        under_voltage_now=any(_number(supply / "in0_lcrit_alarm") == 1 for supply in supplies),
        hottest_c=None if hottest is None else hottest / 1000,
        card_errors=None if not errors else sum(count or 0 for count in errors),
        card_worn_tenths=_most(worn),
        written_gb=None if kilobytes is None else round(kilobytes / 1e6, 1),
    )


def _most(values: list[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path, base: int = 10) -> int | None:
    try:
        return int(_text(path), base)
    except ValueError:
        return None


def _worst_tenth(path: Path) -> int | None:
    """`0x02 0x03`: two kinds of cells, each so many tenths of its life; 0 says nothing."""
    tenths = [int(number, 16) for number in re.findall(r"0x[0-9a-fA-F]{1,2}", _text(path))]
    return max((tenth for tenth in tenths if tenth), default=None)
