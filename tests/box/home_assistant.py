"""JSON Schemas of everything that Home Assistant accepts, taken from its source at 2024.12.5.

components/mqtt/{discovery,config,schemas,sensor,binary_sensor,event,button}.py, helpers/config_validation.py
(automations), components/lovelace (the card *entities*). Home Assistant drops a discovered key that it does not know;
here such a key is a mistake.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

TEXT = {"type": "string"}
SUBSCRIBED = {"type": "string", "minLength": 1, "pattern": r"^[^#+\u0000]+$"}
"""A topic without wildcards."""
TEMPLATE = {"type": "string", "pattern": r"\{\{.*\}\}"}

TOPIC = re.compile(r"homeassistant/(?P<component>\w+)/(?P<node>[a-zA-Z0-9_-]+)/(?P<key>[a-zA-Z0-9_-]+)/config")
"""`TOPIC_MATCHER` of discovery.py, behind the usual prefix."""

DEVICE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["identifiers"],
    "properties": {
        "identifiers": {"type": "array", "items": TEXT, "minItems": 1},
        **dict.fromkeys(("manufacturer", "model", "name", "sw_version"), TEXT),
        "configuration_url": {"type": "string", "pattern": r"^(https?|homeassistant)://[^/]+"},
    },
}
ORIGIN = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {"name": TEXT, "sw_version": TEXT, "support_url": TEXT},
}
COMMON = {
    "device": DEVICE,
    "origin": ORIGIN,
    "availability_topic": SUBSCRIBED,
    "payload_available": TEXT,
    "payload_not_available": TEXT,
    "name": TEXT,
    "icon": {"type": "string", "pattern": r"^[a-z]+:[a-z0-9-]+$"},
    "unique_id": {"type": "string", "minLength": 1},
    "qos": {"enum": [0, 1, 2]},
    "encoding": TEXT,
}


def platform(required: str, **more: Any) -> dict[str, Any]:
    properties = {**COMMON, required: SUBSCRIBED, **more}
    needed = ["device", "unique_id", required]
    return {"type": "object", "additionalProperties": False, "required": needed, "properties": properties}


PLATFORMS = {
    "sensor": platform(
        "state_topic",
        value_template=TEMPLATE,
        state_class={"enum": ["measurement", "total", "total_increasing"]},
        unit_of_measurement=TEXT,
    ),
    "binary_sensor": platform(
        "state_topic",
        value_template=TEMPLATE,
        payload_on=TEXT,
        payload_off=TEXT,
        device_class={"enum": ["problem", "occupancy", "running", "connectivity"]},
    ),
    "event": platform(
        "state_topic",
        value_template=TEMPLATE,
        event_types={"type": "array", "items": TEXT, "minItems": 1},
        device_class={"enum": ["button", "doorbell", "motion"]},
    ),
    "button": platform("command_topic", payload_press=TEXT, device_class={"enum": ["identify", "restart", "update"]}),
}
"""By component. Of device classes those that a table may have."""

ENTITY = {"type": "string", "pattern": r"^[a-z_]+\.[a-z0-9_]+$"}

CARD = {
    "type": "object",
    "additionalProperties": False,
    "required": ["type", "entities"],
    "properties": {"type": {"const": "entities"}, "title": TEXT, "entities": {"type": "array", "items": ENTITY}},
}

AUTOMATION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["triggers", "actions"],
    "properties": {
        "alias": TEXT,
        "description": TEXT,
        "mode": {"enum": ["single", "restart", "queued", "parallel"]},
        "triggers": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["trigger", "entity_id"],
                "properties": {
                    "trigger": {"const": "state"},
                    "entity_id": ENTITY,
                    **{key: {} for key in ("to", "from", "not_to", "not_from", "for")},
                },
            },
        },
        "conditions": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["condition"],
                "properties": {
                    "condition": {"enum": ["state", "template"]},
                    "entity_id": ENTITY,
                    "attribute": TEXT,
                    "state": TEXT,
                    "value_template": TEMPLATE,
                },
            },
        },
        "actions": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["action"],
                "properties": {
                    "action": ENTITY,
                    "target": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"entity_id": ENTITY, "device_id": TEXT, "area_id": TEXT},
                    },
                    "data": {"type": "object"},
                },
            },
        },
    },
}
"""With the plural keys of 2024.10 and later, for triggers and conditions by state."""


def entity_id(component: str, device: str, name: str) -> str:
    """The id that Home Assistant gives to an entity of a device: both names as a slug."""
    plain = unicodedata.normalize("NFKD", f"{device} {name}").encode("ascii", "ignore").decode().lower()
    return f"{component}.{re.sub(r'[^a-z0-9]+', '_', plain).strip('_')}"
