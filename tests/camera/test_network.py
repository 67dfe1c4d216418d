"""Cameras in the network, against small servers on this machine: what they give, how they fail, what is never shown."""

from __future__ import annotations

import base64
import contextlib
import itertools
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import av
import cv2
import numpy as np
import pytest
from click.testing import CliRunner

import hardware.camera.network as network
from companion.cli.cameras import calibrate
from companion.cli.watch import watch
from companion.supervise.camera import SupervisedCamera
from companion.supervise.pictures import CameraState
from hardware.camera import CameraError, CameraFault, open_camera
from hardware.camera.address import secrets_of, shown
from hardware.camera.network import NetworkCamera

Answer = Callable[[BaseHTTPRequestHandler], None]
SIZE_WH = (160, 128)


def jpeg(grey: int) -> bytes:
    done, data = cv2.imencode(".jpg", np.full((SIZE_WH[1], SIZE_WH[0], 3), grey % 256, np.uint8))
    assert done
    return bytes(data.tobytes())


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """An HTTP server that answers every request like this; its `HOST:PORT`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                answer(self)
            except (BrokenPipeError, ConnectionResetError):
                return

        def log_message(self, *_words: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def give(request: BaseHTTPRequestHandler, kind: str, body: bytes, status: int = 200) -> None:
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def stream(pictures: Callable[[], Iterator[bytes]]) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        request.end_headers()
        for picture in pictures():
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
            request.wfile.write(head.encode() + picture + b"\r\n")

    return answer


def test_motion_jpeg_is_filmed_and_a_picture_that_broke_is_left_out() -> None:
    def pictures() -> Iterator[bytes]:
        for grey in range(20, 240, 20):
            yield jpeg(grey)
            if grey == 60:
                yield jpeg(61)[:200]

    with serving(stream(pictures)) as place, NetworkCamera(f"http://{place}/video") as camera:
        greys = [round(float(frame.image.mean())) for frame in itertools.islice(camera, 8)]
    assert camera.live_mode is not None and camera.live_mode.size_wh == SIZE_WH
    assert greys == sorted(greys) and greys[0] == 20 and greys[-1] >= 140


def test_an_address_of_single_pictures_is_looked_at_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "LOOK_AGAIN_S", 0.0)
    count = itertools.count()

    def answer(request: BaseHTTPRequestHandler) -> None:
        give(request, "image/jpeg", jpeg(10 * (next(count) // 3)))

    with serving(answer) as place, NetworkCamera(f"http://{place}/shot.jpg") as camera:
        greys = [round(float(frame.image.mean())) for frame in itertools.islice(camera, 5)]
    assert greys == [0, 10, 20, 30, 40], "a picture that has not changed is none"


def test_the_same_picture_for_ever_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "LOOK_AGAIN_S", 0.0)
    monkeypatch.setattr(network, "SILENT_S", 0.1)
    with serving(lambda request: give(request, "image/jpeg", jpeg(70))) as place:
        pictures = NetworkCamera(f"http://{place}/shot.jpg")._single_pictures()
        assert next(pictures) is not None
        with pytest.raises(CameraError, match="the same picture for"):
            next(pictures)


def endless() -> Iterator[bytes]:
    for grey in itertools.count(20):
        yield jpeg(grey)
        time.sleep(0.02)


def guarded(secret: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        if request.headers.get("Authorization") == f"Basic {base64.b64encode(secret.encode()).decode()}":
            stream(endless)(request)
            return
        request.send_response(401)
        request.send_header("WWW-Authenticate", 'Basic realm="camera"')
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


def test_a_user_and_a_password_open_it() -> None:
    with serving(guarded("ann:s3cr3t")) as place, NetworkCamera(f"http://ann:s3cr3t@{place}/video") as camera:
        assert camera.read() is not None and camera.read() is not None


@pytest.mark.parametrize("pictures", [stream(endless), lambda request: give(request, "image/jpeg", jpeg(70))])
def test_a_camera_is_never_asked_through_a_proxy(pictures: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{nobody.getsockname()[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        with serving(pictures) as place, NetworkCamera(f"http://{place}/video") as camera:
            assert camera.read() is not None


def test_a_camera_that_asks_for_a_digest_gets_one() -> None:
    asked = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.headers.get("Authorization") or "")
        if asked[-1].startswith("Digest ") and 'username="ann"' in asked[-1] and "s3cr3t" not in asked[-1]:
            give(request, "image/jpeg", jpeg(len(asked)))
            return
        request.send_response(401)
        request.send_header("WWW-Authenticate", 'Digest realm="camera", nonce="4711", qop="auth"')
        request.send_header("Content-Length", "0")
        request.end_headers()

    with serving(answer) as place, NetworkCamera(f"http://ann:s3cr3t@{place}/shot.jpg") as camera:
        assert camera.read() is not None
    assert asked[0] == "" and 'response="' in asked[1]


@pytest.mark.parametrize(
    ("answer", "fault", "words"),
    [
        (guarded("ann:other"), CameraFault.FORBIDDEN, "wrong user or password"),
        (lambda request: give(request, "text/plain", b"no", 404), CameraFault.FORMAT, "nothing at this address"),
        (lambda request: give(request, "text/html", b"<h1>IP camera</h1>"), CameraFault.FORMAT, "a web page"),
        (lambda request: give(request, "image/jpeg", b"no picture"), CameraFault.FORMAT, "not a picture"),
        (
            lambda request: give(request, "video/mp4", b"no film" * 99),
            CameraFault.FORMAT,
            "neither a film nor a picture",
        ),
    ],
)
def test_each_failure_has_its_own_words_and_none_shows_the_password(
    answer: Answer, fault: CameraFault, words: str
) -> None:
    with serving(answer) as place, pytest.raises(CameraError) as caught:
        NetworkCamera(f"http://ann:s3cr3t@{place}/video?token=hush")
    assert caught.value.fault is fault and words in str(caught.value)
    assert "s3cr3t" not in str(caught.value) and "hush" not in str(caught.value) and "ann" not in str(caught.value)
    assert "plug" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["http", "rtsp"])
def test_nobody_there_is_a_trouble_of_the_network(scheme: str) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"{scheme}://ann:s3cr3t@127.0.0.1:{nobody.getsockname()[1]}/stream"
        with pytest.raises(CameraError) as caught:
            NetworkCamera(address)
    assert caught.value.fault is CameraFault.NETWORK and "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "is_shown_as"),
    [
        ("rtsp://ann:s3cr3t@192.168.1.20:554/h264?pw=x", "rtsp://192.168.1.20:554/h264?..."),
        ("http://phone.local/shot.jpg", "http://phone.local/shot.jpg"),
        ("http://u:p@[fe80::1]:8080/v", "http://[fe80::1]:8080/v"),
        ("http://ann:s3cr3t@host:port/", "http://..."),
        ("http://ann:s3#cr3t@host/shot.jpg", "http://..."),
        ("http://ann:12#34@host/shot.jpg", "http://..."),
        ("http://ann:1?2@host", "http://..."),
        ("rtsp://ann:1/2@host/stream", "rtsp://..."),
        ("rtsp://ann:1@2#3@host/stream", "rtsp://..."),
        ("rtmp://ann:s3cr3t@host/stream", "rtmp://host/stream"),
        ("usb:0", "usb:0"),
    ],
)
def test_an_address_is_shown_without_its_secrets(source: str, is_shown_as: str) -> None:
    assert shown(source) == is_shown_as


@pytest.mark.parametrize("source", ["rtsp://", "http://:80/", "http://host:99999/"])
def test_an_address_that_cannot_be_one_is_refused(source: str) -> None:
    with pytest.raises(CameraError, match="expected an address such as"):
        open_camera(source)


@pytest.mark.parametrize("source", ["rtsp://ann:s3#cr3t@host/x", "http://ann:1/2@host/", "http://ann:12#34@host/x"])
def test_a_sign_that_ends_the_password_too_early_is_named(source: str) -> None:
    with pytest.raises(CameraError, match="write # as %23") as caught:
        open_camera(source)
    assert not any(part in str(caught.value) for part in ("ann", "s3", "cr3t", "12", "34", "@host"))


@pytest.mark.parametrize("source", ["htp://ann:s3cr3t@host/x", "rtmp://ann:s3cr3t@host"])
def test_an_address_of_another_kind_is_refused_without_its_secrets(source: str) -> None:
    with pytest.raises(CameraError, match="host") as caught:
        open_camera(source)
    assert "s3cr3t" not in str(caught.value) and "ann" not in str(caught.value)


def test_what_nobody_may_read_of_an_address_is_known_as_written_and_as_meant() -> None:
    hidden = secrets_of("rtsp://ann:p%40ss@host/x?token=hush")
    assert {"ann", "p%40ss", "p@ss", "token=hush"} <= set(hidden)
    assert {"club", "s3cr3t"} <= set(secrets_of("club:s3cr3t@broker.local:1883"))
    assert not secrets_of("usb:0") and not secrets_of("http://host/x")


@pytest.mark.parametrize("arguments", [(calibrate, "--json"), (watch,)])
def test_a_command_films_an_address_that_ends_like_a_picture_and_prints_no_secret(arguments: tuple[Any, ...]) -> None:
    command, *more = arguments
    with serving(guarded("ann:s3cr3t")) as place:
        done = CliRunner().invoke(command, [f"http://ann:s3cr3t@{place}/shot.jpg?token=hush", *more])
    assert done.exit_code and f"http://{place}/shot.jpg" in done.output
    assert not any(secret in done.output for secret in ("s3cr3t", "ann:", "hush"))
    assert "No such file" not in done.output and "there is no such" not in done.output


def rtsp_session(line: socket.socket, frames: int) -> None:
    """One client of a small RTSP server: describes, sets up and plays H.264, interleaved with its questions."""
    encoder = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt = *SIZE_WH, "yuv420p"
    encoder.time_base, encoder.options = Fraction(1, 10), {"tune": "zerolatency", "x264-params": "slices=1:keyint=1"}
    asked = line.makefile("rb")
    while head := asked.readline().decode().split():
        fields = {}
        while (field := asked.readline().strip().decode()) != "":
            name, _, value = field.partition(": ")
            fields[name.lower()] = value
        reply, body = "", ""
        if head[0] == "DESCRIBE":
            body = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=t\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\n"
            body += "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:track1\r\n"
            reply = f"Content-Type: application/sdp\r\nContent-Length: {len(body)}\r\n"
        elif head[0] == "SETUP":
            reply = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n"
        elif head[0] == "PLAY":
            reply = "Session: 1\r\n"
        elif head[0] == "OPTIONS":
            reply = "Public: OPTIONS, DESCRIBE, SETUP, PLAY\r\n"
        line.sendall(f"RTSP/1.0 200 OK\r\nCSeq: {fields['cseq']}\r\n{reply}\r\n{body}".encode())
        if head[0] == "PLAY":
            break
    number = 0
    for count in range(frames):
        image = np.full((SIZE_WH[1], SIZE_WH[0], 3), 20 + 5 * count, np.uint8)
        for packet in encoder.encode(av.VideoFrame.from_ndarray(image, format="bgr24")):
            units = [unit for unit in bytes(packet).replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1") if unit]
            for unit in units:
                last = unit is units[-1]
                rtp = struct.pack(">BBHII", 0x80, 96 | (0x80 if last else 0), number, 9000 * count, 7) + unit
                line.sendall(struct.pack(">cBH", b"$", 0, len(rtp)) + rtp)
                number += 1
        time.sleep(0.02)


def test_an_rtsp_stream_is_filmed_and_opened_again_when_it_breaks() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for _ in range(2):
                line, _address = server.accept()
                with line, contextlib.suppress(OSError):
                    rtsp_session(line, frames=40)

        threading.Thread(target=serve, daemon=True).start()
        with NetworkCamera(f"rtsp://127.0.0.1:{server.getsockname()[1]}/stream") as camera:
            greys = [float(frame.image.mean()) for frame in itertools.islice(camera, 50)]
    assert camera.live_mode is not None and camera.live_mode.size_wh == SIZE_WH
    assert any(after < before - 20 for before, after in itertools.pairwise(greys)), (
        "it began again from the first picture"
    )


@pytest.mark.slow
def test_on_the_page_a_lost_network_camera_is_named_and_comes_back() -> None:
    switched_off = threading.Event()

    def answer(request: BaseHTTPRequestHandler) -> None:
        if switched_off.is_set():
            request.close_connection = True
            return
        stream(lambda: itertools.takewhile(lambda _picture: not switched_off.is_set(), endless()))(request)

    with serving(answer) as place, SupervisedCamera(f"http://ann:s3cr3t@{place}/video") as camera:
        assert camera.wait_for(lambda health: health.state is CameraState.LIVE, 60)
        switched_off.set()
        assert camera.wait_for(lambda health: health.state is CameraState.NETWORK, 60)
        assert "s3cr3t" not in camera.health.message and "plug" not in camera.health.message
        switched_off.clear()
        assert camera.wait_for(lambda health: health.state is CameraState.LIVE, 60)
