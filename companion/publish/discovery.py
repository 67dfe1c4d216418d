"""What Home Assistant is told, so that a table appears there by itself (MQTT discovery, one retained message each)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.game.game_view import GameView
from companion.game.standing import is_fault, is_misfit
from companion.publish.happenings import FAULT, FAULTS, PLAY, PLAYS
from companion.publish.topics import OFFLINE, ONLINE, slug_of, topic

PREFIX = "homeassistant"

SENSORS = (
    ("phase", "Phase", "mdi:table-furniture"),
    ("turn", "Turn", "mdi:account-arrow-right"),
    ("round", "Round", "mdi:counter"),
    ("leader", "Leader", "mdi:trophy"),
    ("last", "Last play", "mdi:cards-outline"),
)
ALARMS = (("question", "Question open", "mdi:help-circle"), ("illegal", "Illegal play", "mdi:gavel"))
EVENTS = ((PLAY, "Play", "mdi:cards-outline", PLAYS), (FAULT, "Fault", "mdi:gavel", FAULTS))
BUTTONS = (("next_round", "Next round", "mdi:skip-next"), ("undo", "Undo", "mdi:undo"))


@dataclass(frozen=True, slots=True)
class TableDevice:
    """A table as a device of Home Assistant.

    Attributes:
        table: its name in topics.
        name: its name for people.
        version: the program's version.
        url: the address of the page, "" where it is not known.
        players: each gets a sensor of points, which stays the same person's wherever they sit in the next game.
        buttons: whether the household lets Home Assistant begin the next round and undo.
    """

    table: str
    name: str
    version: str = ""
    url: str = ""
    players: Sequence[str] = ()
    buttons: bool = False


def discovery(device: TableDevice) -> dict[str, dict[str, Any]]:
    """Topic -> configuration, for every entity of one table."""
    found: dict[str, dict[str, Any]] = {}

    def add(kind: str, key: str, name: str, icon: str, **more: Any) -> None:
        where = f"{PREFIX}/{kind}/companion_{device.table}/{key}/config"
        found[where] = {
            **_common(device),
            "name": name,
            "icon": icon,
            "unique_id": f"companion_{device.table}_{key}",
            **more,
        }

    state = topic(device.table, "state")
    for key, name, icon in SENSORS:
        add("sensor", key, name, icon, state_topic=state, value_template=f"{{{{ value_json.{key} }}}}")
    for player in device.players:
        template = f"{{{{ value_json.points['{slug_of(player)}'] | default(None) }}}}"
        points = {"state_topic": state, "value_template": template, "unit_of_measurement": "points"}
        add("sensor", f"points_{slug_of(player)}", player, "mdi:scoreboard", state_class="measurement", **points)
    for key, name, icon in ALARMS:
        alarm = {"payload_on": "True", "payload_off": "False", "device_class": "problem"}
        template = f"{{{{ value_json.{key} }}}}"
        add("binary_sensor", key, name, icon, state_topic=state, value_template=template, **alarm)
    for key, name, icon, kinds in EVENTS:
        add("event", key, name, icon, state_topic=topic(device.table, key), event_types=list(kinds))
    for key, name, icon in BUTTONS if device.buttons else ():
        add("button", key, name, icon, command_topic=topic(device.table, "command"), payload_press=key)
    return found


def _common(device: TableDevice) -> dict[str, Any]:
    """What every entity of a table says of it and of this program."""
    about: dict[str, Any] = {
        "identifiers": [f"companion_{device.table}"],
        "name": device.name,
        "manufacturer": "Tabletop companion",
        "model": "Domino table",
    }
    origin = {"name": "tabletop-companion"}
    if device.version:
        about["sw_version"] = origin["sw_version"] = device.version
    if device.url:
        about["configuration_url"] = device.url
    return {
        "device": about,
        "origin": origin,
        "availability_topic": topic(device.table, "status"),
        "payload_available": ONLINE,
        "payload_not_available": OFFLINE,
    }


NO_GAME: dict[str, Any] = {
    "phase": "waiting",
    "turn": "-",
    "round": 0,
    "leader": "-",
    "last": "-",
    "question": False,
    "illegal": False,
    "totals": {},
    "points": {},
}
"""What they show where no game is being played."""


def summary(snapshot: GameView | None) -> dict[str, Any]:
    """The state those sensors show, from a session's snapshot. `points` are the totals by what a name is called in
    topics."""
    if snapshot is None:
        return NO_GAME
    totals: Mapping[str, int] = snapshot.totals
    best = (max if snapshot.most_points_win else min)(totals.values(), default=None)
    leaders = [name for name, points in totals.items() if points == best] if any(totals.values()) else []
    plays = [play for play in snapshot.plays if not is_misfit(play)]
    last: Mapping[str, Any] = plays[-1] if plays else {}
    return {
        "phase": snapshot.phase,
        "turn": snapshot.turn or "-",
        "round": snapshot.round or 0,
        "leader": ", ".join(leaders) or "-",
        "last": _text(last),
        "question": bool(snapshot.questions),
        "illegal": is_fault(last),
        "totals": dict(totals),
        "points": {slug_of(name): totals.get(name, 0) for name in snapshot.players},
    }


def _text(play: Mapping[str, Any]) -> str:
    """`Ann 12-5 on Ben`."""
    tile = play.get("tile")
    if not isinstance(tile, list | tuple) or len(tile) != 2:
        return "-"
    return f"{play.get('by') or '?'} {tile[0]}-{tile[1]} on {play.get('train') or '?'}"
