"""What Home Assistant is told, so that a table appears there by itself (MQTT discovery, one retained message each)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.game.game_view import GameView
from companion.game.standing import is_fault
from companion.publish.topics import OFFLINE, ONLINE, topic

PREFIX = "homeassistant"

SENSORS = (
    ("phase", "Phase", "mdi:table-furniture"),
    ("turn", "Turn", "mdi:account-arrow-right"),
    ("round", "Round", "mdi:counter"),
    ("leader", "Leader", "mdi:trophy"),
    ("last", "Last play", "mdi:cards-outline"),
)
ALARMS = (("question", "Question open", "mdi:help-circle"), ("illegal", "Illegal play", "mdi:gavel"))


def discovery(table: str, name: str) -> dict[str, dict[str, Any]]:
    """Topic -> configuration, for every sensor of one table."""
    device = {"identifiers": [f"companion_{table}"], "name": name, "manufacturer": "Tabletop companion"}
    found: dict[str, dict[str, Any]] = {}
    for kind, key, title, icon in (
        *(("sensor", *sensor) for sensor in SENSORS),
        *(("binary_sensor", *alarm) for alarm in ALARMS),
    ):
        config: dict[str, Any] = {
            "name": title,
            "unique_id": f"companion_{table}_{key}",
            "state_topic": topic(table, "state"),
            "value_template": f"{{{{ value_json.{key} }}}}",
            "availability_topic": topic(table, "status"),
            "payload_available": ONLINE,
            "payload_not_available": OFFLINE,
            "icon": icon,
            "device": device,
        }
        if kind == "binary_sensor":
            config |= {"payload_on": "True", "payload_off": "False", "device_class": "problem"}
        found[f"{PREFIX}/{kind}/companion_{table}/{key}/config"] = config
    return found


NO_GAME: dict[str, Any] = {
    "phase": "waiting",
    "turn": "-",
    "round": 0,
    "leader": "-",
    "last": "-",
    "question": False,
    "illegal": False,
    "totals": {},
}
"""What they show where no game is being played."""


def summary(snapshot: GameView | None) -> dict[str, Any]:
    """The state those sensors show, from a session's snapshot."""
    if snapshot is None:
        return NO_GAME
    totals: Mapping[str, int] = snapshot.get("totals") or {}
    best = (max if snapshot.get("most_points_win") else min)(totals.values(), default=None)
    leaders = [name for name, points in totals.items() if points == best] if any(totals.values()) else []
    plays = snapshot.get("plays") or []
    last = plays[-1] if plays else {}
    return {
        "phase": str(snapshot.get("phase") or "waiting"),
        "turn": snapshot.get("turn") or "-",
        "round": snapshot.get("round") or 0,
        "leader": ", ".join(leaders) or "-",
        "last": _text(last),
        "question": bool(snapshot.get("unclear")),
        "illegal": is_fault(last),
        "totals": dict(totals),
    }


def _text(play: Mapping[str, Any]) -> str:
    """`Ann 12-5 on Ben`."""
    tile = play.get("tile")
    if not isinstance(tile, list | tuple) or len(tile) != 2:
        return "-"
    return f"{play.get('by') or '?'} {tile[0]}-{tile[1]} on {play.get('train') or '?'}"
