"""The line to the broker, the same for a table that tells and a hall that listens.

Whatever comes over it becomes a message in the owner's mailbox; the network thread never waits for anybody:
("connected", ""), ("connected", why not), ("disconnected", why), ("confirmed", number), ("message", topic, payload),
("kept", topic, payload) for one that the broker had kept from before.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from companion.supervise.parts import Loop, plain_loop

DEFAULT_PORT, TLS_PORT = 1883, 8883
CA_VARIABLE = "COMPANION_BROKER_CA"
"""A file with the certificate that signed the broker's, where that is none of the system's."""
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
    """`host`, `host:port` or `user:password@host:port`; with `mqtts://` before it encrypted. Raises ValueError in one
    line, which does not repeat the password."""
    secure = text.startswith("mqtts://")
    text = text.removeprefix("mqtts://").removeprefix("mqtt://").removesuffix("/")
    login, _, address = text.rpartition("@")
    host, colon, port = address.partition(":")
    if not host or any(letter.isspace() for letter in text):
        raise ValueError(f"broker {address!r}: expected host or host:port")
    if colon and not (port.isdecimal() and 0 < int(port) < 65536):
        raise ValueError(f"broker {address!r}: expected a port from 1 to 65535 after the colon")
    user, _, password = login.partition(":")
    usual = TLS_PORT if secure else DEFAULT_PORT
    return Broker(host, int(port) if colon else usual, user or None, password or None, secure)


WRONG_PASSWORD = ("Not authorized", "Bad user name or password")
"""What a broker answers to a password that it does not know, in the words of MQTT 5 and 3.1.1."""


def refused_password(detail: str) -> bool:
    return detail in WRONG_PASSWORD


class Line:
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
    """Whoever has a line: between `start` and `close` a thread of its own works off the mailbox, up to ("close",)."""

    def __init__(self, line: Line, mail: Mail, name: str, loop: Loop = plain_loop) -> None:
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
