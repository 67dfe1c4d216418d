"""The address that the QR code holds: the home network's, followed while networks come and go."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bench.stand_ins.background import serve_in_background
from companion.web.serving import EVERYWHERE, OwnAddress, OwnName, in_order, listen, own_number_6


def test_containers_and_private_networks_come_last() -> None:
    names = ["lo", "docker0", "tun0", "eth0", "wlan0", "br-9f2e", "tailscale0"]
    order = in_order(names, ["tun0", "wlan0"])
    assert order[0] == "wlan0" and order.index("eth0") < order.index("docker0") < len(names)
    assert order.index("eth0") < order.index("tun0"), "a VPN may hold the default route, and no phone is behind it"


ADDRESSES_6 = """\
fe800000000000000000000000000001 02 40 20 80     eth0
2a0104f8000000000000000000000001 02 40 00 00     eth0
fd000000000000000000000000000007 05 40 00 80  docker0
fd000000000000000000000000000003 03 40 00 60    wlan0
fd000000000000000000000000000002 03 40 00 80    wlan0
00000000000000000000000000000001 01 80 10 80       lo
"""


def test_the_ipv6_address_that_stays_in_the_house_comes_first(tmp_path: Path) -> None:
    listed = tmp_path / "if_inet6"
    listed.write_text(ADDRESSES_6, encoding="ascii")
    assert own_number_6(listed) == "fd00::2", "the other of wlan0 is not sure yet, and no phone is behind docker0"
    listed.write_text("".join(ADDRESSES_6.splitlines(keepends=True)[:2]), encoding="ascii")
    assert own_number_6(listed) == "2a01:4f8::1"
    listed.write_text(ADDRESSES_6.splitlines()[0], encoding="ascii")
    assert own_number_6(listed) == own_number_6(tmp_path / "none") == ""


def test_a_page_is_reached_over_ipv4_and_ipv6(app: Flask) -> None:
    if not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    server, port = serve_in_background(app, host=EVERYWHERE)
    for host in ("127.0.0.1", "[::1]"):
        with urllib.request.urlopen(f"http://{host}:{port}/health", timeout=30) as answer:
            assert answer.status == 200
    server.stop()


class Zeroconf:
    """Stands for the package where it is installed, with the names and arguments that 0.154 takes."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str, str, int]] = []
        self.left = 0
        package = self

        class Answerer:
            def __init__(self, interfaces: list[str]) -> None:
                self.interfaces = interfaces

            def register_service(self, info: dict[str, Any], *, allow_name_change: bool) -> None:
                number = socket.inet_ntoa(info["addresses"][0])
                assert self.interfaces == [number] and allow_name_change
                package.said.append((info["type_"], info["server"], number, info["port"]))

            def close(self) -> None:
                package.left += 1

        def service(type_: str, name: str, *, port: int, addresses: list[bytes], server: str) -> dict[str, Any]:
            assert name.endswith(f".{type_}")
            return {"type_": type_, "port": port, "addresses": addresses, "server": server}

        self.module = SimpleNamespace(Zeroconf=Answerer, ServiceInfo=service)


def test_the_name_is_said_where_somebody_answers_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, package = OwnName(8000, "Box.home", [tmp_path / "socket"]), Zeroconf()
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    name.answer("192.168.1.50")
    assert name.local == "", "nobody answers"
    monkeypatch.setitem(sys.modules, "zeroconf", package.module)
    name.answer("127.0.0.1")
    assert name.local == "" and not package.said, "there is no network yet"
    name.answer("192.168.1.50")
    name.answer("192.168.1.51")
    assert name.local == "box.local" and package.left == 1, "the old number is not answered with any more"
    assert package.said[-1] == ("_http._tcp.local.", "box.local.", "192.168.1.51", 8000)
    name.close()
    assert name.local == ""
    (tmp_path / "socket").touch()
    name.answer("192.168.1.50")
    assert name.local == "box.local" and len(package.said) == 2, "avahi answers already"


def test_a_network_that_takes_no_name_leaves_the_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = Zeroconf()

    def refuse(*_given: object, **_named: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(package.module.Zeroconf, "register_service", refuse)
    monkeypatch.setitem(sys.modules, "zeroconf", package.module)
    name = OwnName(8000, "box", [tmp_path / "socket"])
    name.answer("192.168.1.50")
    assert name.local == "" and package.left == 1


def test_a_network_that_comes_later_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.web.serving.LOOK_AGAIN_S", 0.01)
    numbers = ["127.0.0.1", "127.0.0.1", "192.168.1.50"]
    heard: list[str] = []
    over = threading.Event()

    def look(_sock: socket.socket) -> str:
        return f"http://{numbers.pop(0) if len(numbers) > 1 else numbers[0]}:8000"

    def changed(found: str) -> None:
        heard.append(found)
        over.set()

    with socket.create_server(("127.0.0.1", 0)) as sock:
        address = OwnAddress(sock, look)
        assert address.now == "http://127.0.0.1:8000"
        while address.follow(changed, over):
            pass
    assert heard == ["http://192.168.1.50:8000"] == [address.now]


def test_the_big_screen_shows_the_address_of_now(anyone: FlaskClient) -> None:
    join = anyone.get("/regions?tv=1").get_json()["regions"]["join"]
    assert "192.168.1.23:8000" in join and "/qr.svg?of=" in join
    assert "192.168.1.23" not in anyone.get("/regions").get_json()["regions"]["join"]


@pytest.mark.parametrize(
    ("host", "here_only", "sentence"),
    [("127.0.0.1", True, "Start it with --host 0.0.0.0"), ("0.0.0.0", False, "Connect it to your Wi-Fi")],
)
def test_a_page_that_no_phone_can_open_says_so_instead_of_a_code(
    app: Flask, host: str, here_only: bool, sentence: str
) -> None:
    with listen(host, 0) as sock:
        address = OwnAddress(sock, lambda _sock: "http://127.0.0.1:8000")
        assert address.here_only is here_only
        app.extensions["companion_settings"] = replace(app.extensions["companion_settings"], address=address)
        client = app.test_client()
        for path in ("/tv", "/invite"):
            page = client.get(path).text
            assert sentence in re.sub("<[^>]*>", "", page) and "/qr.svg" not in page, path
        assert client.get("/qr.svg").status_code == 404
        reached = client.get("/tv", headers={"Host": "192.168.1.50:8000"}).text
        assert "/qr.svg" in reached and sentence not in reached, "whoever came through another door leads others there"


IN_A_NEW_NETWORK = """
import subprocess, sys, threading
from companion.web.serving import OwnAddress
from companion.web.serving import listen
over = threading.Event()
address = OwnAddress(listen("0.0.0.0", 0))
print(address.now.rpartition(":")[0], flush=True)
def changed(found):
    print(found.rpartition(":")[0], flush=True)
    over.set()
def follow():
    while address.follow(changed, over):
        pass
watching = threading.Thread(target=follow)
watching.start()
def ip(words):
    subprocess.run(["ip", *words.split()], check=True)
ip("link add docker0 type veth peer name v0")
ip("addr add 172.17.0.1/16 dev docker0")
ip("link add wlan0 type veth peer name v1")
ip("addr add 192.168.1.50/24 dev wlan0")
watching.join(20)
"""


@pytest.mark.slow
def test_a_server_that_was_up_before_its_network_finds_it() -> None:
    if shutil.which("unshare") is None or shutil.which("ip") is None or os.getuid() != 0:
        pytest.skip("needs root, unshare and ip to make a network of its own")
    answer = subprocess.run(
        ["unshare", "-n", sys.executable, "-c", IN_A_NEW_NETWORK],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    if "Operation not permitted" in answer.stderr:
        pytest.skip("this machine makes no networks")
    assert answer.stdout.splitlines()[0] == "http://127.0.0.1", answer.stderr
    assert answer.stdout.splitlines()[-1] in ("http://192.168.1.50", "http://172.17.0.1")
