"""The line to the broker, and its topics.

The topics on the broker, for the tables that publish and the hall that listens.

companion/TABLE/status   retained   "online" or "offline" (said by the broker when a table vanishes)
companion/TABLE/head     retained   {"name", "game", "header", "seq"}: the game on the table and its last event
companion/TABLE/events              {"game", "event"}: one line of the journal
companion/TABLE/state    retained   what Home Assistant shows
companion/TABLE/resend              to the table: {"game", "after"}: say again what follows event `after`

The line to the broker, the same for a table that tells and a hall that listens.

Everything that arrives becomes a message in the owner's mailbox, so the network thread never waits for anybody:
("connected", ""), ("connected", why not), ("disconnected", why), ("confirmed", number), ("message", topic, payload),
("kept", topic, payload) for one that the broker had kept from before.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import queue
import re
import threading
import unicodedata
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from companion.supervise.parts import Loop, plain_loop

ROOT = "companion"
ONLINE, OFFLINE = "online", "offline"
LARGEST_PAYLOAD = 64_000


LONGEST_NAME = 60


def table_name(text: str) -> str:
    """A table's name as people see it, in any language. Raises ValueError in one line for an impossible name."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    kinds = [unicodedata.category(character) for character in name]
    # So: a picture such as a fox. Cn: one that is younger than this Python's tables.
    if not name or len(name) > LONGEST_NAME or not any(kind[0] in "LN" or kind in ("So", "Cn") for kind in kinds):
        raise ValueError(f"expected a name of 1 to {LONGEST_NAME} characters with a letter, digit or picture in it")
    if not {"Cc", "Cs", "Zl", "Zp"}.isdisjoint(kinds):
        raise ValueError("expected a name without control characters")
    return name


def table_id(name: str) -> str:
    """A table's name as a topic: `Table 3` is `table-3`. A name that loses letters this way ends in a mark of the
    whole, so that no two names share a topic: `Стіл 1` is `1-` and eight digits. Raises ValueError."""
    return slug_of(table_name(name))


def slug_of(name: str) -> str:
    """The same of any name, a player's for instance."""
    whole = name.casefold()
    plain = unicodedata.normalize("NFKD", whole).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40]
    if slug == whole.replace(" ", "-"):
        return slug
    mark = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{slug}-{mark}" if slug else f"table-{mark}"


def topic(table: str, what: str) -> str:
    return f"{ROOT}/{table}/{what}"


def table_of(name: str) -> tuple[str, str] | None:
    """(table, what) of a topic of ours, or None."""
    parts = name.split("/")
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == ROOT else None


def pack(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def unpack(payload: bytes) -> dict[str, Any] | None:
    """A message's object, or None for anything that is not one: the broker is open to strangers."""
    if len(payload) > LARGEST_PAYLOAD:
        return None
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


DEFAULT_PORT, TLS_PORT = 1883, 8883
CA_VARIABLE = "COMPANION_BROKER_CA"
"""A file with the certificate that signed the broker's, if the system does not have it."""
KEEPALIVE_S = 20
PAUSE_S = (1, 30)
"""Before connecting again: the first pause and the longest."""

log = logging.getLogger(__name__)

Mail = queue.SimpleQueue[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Broker:
    host: str
    port: int = DEFAULT_PORT
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False


def parse_broker(text: str) -> Broker:
    """`host`, `host:port` or `user:password@host:port`, IPv6 in brackets; with `mqtts://` before it encrypted. Raises
    ValueError in one line, which does not repeat the password."""
    secure = text.startswith("mqtts://")
    text = text.removeprefix("mqtts://").removeprefix("mqtt://").removesuffix("/")
    login, _, address = text.rpartition("@")
    found = re.fullmatch(r"(?:\[([^\s\[\]/]+)\]|([^\s\[\]/:]+))(?:(:)(.*))?", address)
    if found is None or any(letter.isspace() for letter in text):
        raise ValueError(f"broker {address!r}: expected host or host:port, IPv6 in brackets")
    host, colon, port = found[1] or found[2], found[3], found[4] or ""
    if colon and not (port.isdecimal() and 0 < int(port) < 65536):
        raise ValueError(f"broker {address!r}: expected a port from 1 to 65535 after the colon")
    user, _, password = login.partition(":")
    usual = TLS_PORT if secure else DEFAULT_PORT
    return Broker(host, int(port) if colon else usual, user or None, password or None, secure)


WRONG_PASSWORD = ("Not authorized", "Bad user name or password")
"""A broker's answers to a wrong password, in the words of MQTT 5 and 3.1.1."""


def refused_password(detail: str) -> bool:
    return detail in WRONG_PASSWORD


class BrokerLine:
    """One connection, renewed for ever. `last_will` is (topic, payload) that the broker says when we vanish."""

    def __init__(
        self,
        broker: Broker,
        mail: Mail,
        *,
        name: str = "",
        last_will: tuple[str, str] | None = None,
        under_way: int = 20,
    ) -> None:
        self._broker = broker
        self._client = client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name)
        if broker.user is not None:
            client.username_pw_set(broker.user, broker.password)
        if broker.tls:
            client.tls_set(ca_certs=os.environ.get(CA_VARIABLE) or None)
        if last_will is not None:
            client.will_set(*last_will, qos=1, retain=True)
        client.reconnect_delay_set(*PAUSE_S)
        client.max_inflight_messages_set(under_way)
        client.on_connect = lambda c, data, flags, reason, properties: mail.put(
            ("connected", str(reason) if reason.is_failure else "")
        )
        client.on_disconnect = lambda c, data, flags, reason, properties: mail.put(("disconnected", str(reason)))
        client.on_publish = lambda c, data, mid, reason, properties: mail.put(("confirmed", mid))
        client.on_message = lambda c, data, message: mail.put(
            ("kept" if message.retain else "message", message.topic, bytes(message.payload))
        )

    def start(self) -> None:
        """Connect now or whenever the broker can be reached."""
        self._client.connect_async(self._broker.host, self._broker.port, keepalive=KEEPALIVE_S)
        self._client.loop_start()

    def keep(self) -> None:
        """Begin to listen again where the network's thread has ended: paho catches what a network does to it, no
        more."""
        if self._client.loop_start() is mqtt.MQTT_ERR_SUCCESS:
            log.error("the line to the broker had ended and begins anew")

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> int | None:
        """At least once. The message's number, or None when there is nobody to hear it."""
        message = self._client.publish(topic, payload, qos=1, retain=retain)
        return message.mid if message.rc == mqtt.MQTT_ERR_SUCCESS else None

    def listen(self, topic: str) -> None:
        self._client.subscribe(topic, qos=1)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Correspondent(ABC):
    """The owner of a line: between `start` and `close` its own thread works off the mailbox, up to ("close",)."""

    def __init__(self, line: BrokerLine, mail: Mail, name: str, loop: Loop = plain_loop) -> None:
        self._line, self._mail = line, mail
        self._thread = threading.Thread(target=loop, args=(self._work,), name=name, daemon=True)

    @abstractmethod
    def _work(self) -> bool:
        """Take one message out of the mailbox, or wait for one for a while; False after ("close",)."""

    def start(self) -> None:
        """Connect now or whenever the broker can be reached."""
        self._line.start()
        self._thread.start()

    def close(self) -> None:
        """Let the thread come to its end, and hang up."""
        self._mail.put(("close",))
        if self._thread.is_alive():
            self._thread.join()
        self._line.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
