"""A Home Assistant with nothing but its MQTT integration: `python real_home_assistant.py FOLDER PORT`.

Run by the environment that .ci/home-assistant makes, whose packages are not this project's. After each change it prints
one line of JSON: entity id -> state. It ends with stdin.
"""

import asyncio
import json
import socket
import sys
from pathlib import Path

from homeassistant import auth, bootstrap, config_entries, core, loader
from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.helpers import entity_registry
from homeassistant.setup import async_setup_component


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def started(folder: Path, broker_port: int) -> core.HomeAssistant:
    """Home Assistant with the broker at this port of this machine, as its set-up dialogue leaves it."""
    (folder / "configuration.yaml").touch()
    config = {"http": {"server_host": "127.0.0.1", "server_port": free_port()}}
    hass = core.HomeAssistant(str(folder))
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, config)
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    for part in ("homeassistant", "http"):
        if not await async_setup_component(hass, part, config):
            raise SystemExit(f"{part} does not start")
    known = entity_registry.async_get(hass).entities

    def say(_: object) -> None:
        states = {one.entity_id: one.state for one in hass.states.async_all() if one.entity_id in known}
        print(json.dumps(states), flush=True)

    hass.bus.async_listen(EVENT_STATE_CHANGED, core.callback(say))
    entry = config_entries.ConfigEntry(
        version=1,
        minor_version=1,
        domain="mqtt",
        title="broker",
        data={"broker": "127.0.0.1", "port": broker_port, "discovery": True, "discovery_prefix": "homeassistant"},
        source=config_entries.SOURCE_USER,
    )
    await hass.config_entries.async_add(entry)
    if entry.state is not config_entries.ConfigEntryState.LOADED:
        raise SystemExit(f"MQTT does not start: {entry.state}, {entry.reason}")
    await hass.async_start()
    return hass


async def main(folder: Path, broker_port: int) -> None:
    hass = await started(folder, broker_port)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await hass.async_stop(force=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
