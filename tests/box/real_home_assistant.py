"""A Home Assistant with MQTT and this project's automations: `python real_home_assistant.py FOLDER PORT AUTOMATIONS`.

Run by the environment that .ci/home-assistant makes, whose packages are not this project's. After each change it prints
one line of JSON: the states, entity id -> state, or what an automation has asked for. It ends with stdin.
"""

import asyncio
import json
import socket
import sys
from pathlib import Path

import yaml
from homeassistant import auth, bootstrap, config_entries, core, loader
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.helpers import entity_registry
from homeassistant.setup import async_setup_component


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def say(what: str, content: object) -> None:
    print(json.dumps({what: content}), flush=True)


async def started(folder: Path, broker_port: int, automations: list[dict[str, object]]) -> core.HomeAssistant:
    """Home Assistant with the broker at this port of this machine, as its set-up dialogue leaves it."""
    (folder / "configuration.yaml").touch()
    config = {"http": {"server_host": "127.0.0.1", "server_port": free_port()}, "automation": automations}
    hass = core.HomeAssistant(str(folder))
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, config)
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])

    @core.callback
    def asked(call: core.ServiceCall) -> None:
        say("asked", [f"{call.domain}.{call.service}", call.data.get("message", "")])

    # A lamp, and the place for messages, which are no part of what is tried.
    hass.services.async_register("light", "turn_on", asked)
    hass.services.async_register("notify", "persistent_notification", asked)
    for part in ("homeassistant", "http", "automation"):
        if not await async_setup_component(hass, part, config):
            raise SystemExit(f"{part} does not start")
    known = entity_registry.async_get(hass).entities

    @core.callback
    def changed(_: object) -> None:
        of_the_broker = [one for one in hass.states.async_all() if one.entity_id in known]
        say("states", {one.entity_id: one.state for one in of_the_broker if known[one.entity_id].platform == "mqtt"})

    hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    await hass.config_entries.async_initialize()
    if not hass.config_entries.async_entries("mqtt"):
        entry = config_entries.ConfigEntry(
            version=1,
            minor_version=2,
            domain="mqtt",
            title="broker",
            data={"broker": "127.0.0.1", "port": broker_port},
            options={"discovery": True, "discovery_prefix": "homeassistant"},
            source=config_entries.SOURCE_USER,
            unique_id=None,
            discovery_keys={},
            subentries_data=None,
        )
        await hass.config_entries.async_add(entry)
    elif not await async_setup_component(hass, "mqtt", config):
        raise SystemExit("MQTT does not start")
    [entry] = hass.config_entries.async_entries("mqtt")
    if entry.state is not config_entries.ConfigEntryState.LOADED:
        raise SystemExit(f"MQTT does not start: {entry.state}, {entry.reason}")
    await hass.async_start()
    return hass


async def main(folder: Path, broker_port: int, automations: Path) -> None:
    hass = await started(folder, broker_port, yaml.safe_load(automations.read_text(encoding="utf-8")))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await hass.async_stop(force=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])))
