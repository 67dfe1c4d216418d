"""A camera in the network: an RTSP stream, Motion JPEG over HTTP, or an address that gives one picture at a time."""

from __future__ import annotations

import base64
import errno
import hashlib
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import av
import av.error

from hardware.camera.address import shown
from hardware.camera.source import CameraError, CameraFault, CameraSettings, FrameSource, LiveMode, without_camera
from vision.frame import Frame, Image
from vision.pictures import PictureError, picture_of

ANSWER_S = 6.0
"""A camera in the house that has not answered by then is not there."""

SILENT_S = 10.0
"""Between two pictures: some applications give one every few seconds."""

LOOK_AGAIN_S = 0.2
"""Between two requests for a single picture."""

MOST_BYTES = 64_000_000

NO_PROXY = {"http_proxy": ""}
"""A camera in the house is not behind the proxy of the environment, which FFmpeg would ask by itself."""


UNREACHED = {
    errno.ECONNREFUSED: "nobody answers there; is its application running?",
    errno.EHOSTUNREACH: "there is no way to it; is it switched on, and in the same network?",
    errno.ENETUNREACH: "there is no way to it; is this machine in the network?",
}


def _unreached(error: object) -> str:
    return UNREACHED.get(getattr(error, "errno", None) or 0, "")


class NetworkCamera(FrameSource):
    """The film or pictures at an address, in the order in which they come; an unchanged picture is left out. A line
    that breaks is opened again at once; where that fails the read is a CameraError, and the camera's owner tries again.
    No message holds the user, the password or the query of the address."""

    live = True
    stills = False

    def __init__(
        self, source: str, settings: CameraSettings | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._source, self._label, self._clock = source, f"camera {shown(source)}", clock
        self._count = 0
        self._pictures = self._open()
        self._waiting: Image | None = next(self._pictures, None)
        if self._waiting is None:
            raise self._network("it gives no pictures")
        h, w = self._waiting.shape[:2]
        notes = []
        if settings is not None and settings.size_wh not in (None, (w, h)):
            notes.append(f"the camera gives {w}x{h}: its own application or page sets the size")
        self.live_mode = LiveMode((w, h), 0, silent_s=SILENT_S, notes=tuple(notes))

    def read(self) -> Frame | None:
        image, self._waiting = self._waiting, None
        if image is None:
            image = self._next()
        frame = Frame(image=image, at=self._clock(), name=f"frame-{self._count:07d}")
        self._count += 1
        return frame

    def close(self) -> None:
        closing = getattr(self._pictures, "close", None)
        if closing is not None:
            closing()

    def _next(self) -> Image:
        try:
            image = next(self._pictures, None)
        except CameraError:
            image = None
        if image is None:
            self.close()
            self._pictures = self._open()
            image = next(self._pictures, None)
        if image is None:
            raise self._network("its pictures have ended")
        return image

    def _network(self, why: str) -> CameraError:
        return without_camera(f"{self._label}: {why}", CameraFault.NETWORK)

    def _open(self) -> Iterator[Image]:
        if urlsplit(self._source).scheme.lower().startswith("rtsp"):
            return self._film(self._source, None, {"rtsp_transport": "tcp"})
        kind = self._kind_of_answer()
        if kind.startswith("image/"):
            return self._single_pictures()
        if kind.startswith("multipart/"):
            return self._film(self._source, "mpjpeg", NO_PROXY)
        if kind.startswith("text/html"):
            why = "it answers with a web page; expected the address of the film or picture itself, such as .../video"
            raise without_camera(f"{self._label}: {why}", CameraFault.FORMAT)
        return self._film(self._source, None, NO_PROXY)

    def _film(self, source: str, form: str | None, options: dict[str, str]) -> Iterator[Image]:
        try:
            with av.open(source, format=form, options=options, timeout=(ANSWER_S, SILENT_S)) as container:
                if not container.streams.video:
                    raise without_camera(f"{self._label}: there is sound and no picture in it", CameraFault.FORMAT)
                stream = container.streams.video[0]
                # Threads over whole frames would hold back as many frames as there are threads.
                stream.thread_type = "SLICE"
                for packet in container.demux(stream):
                    yield from self._decoded(packet)
        except av.error.FFmpegError as error:
            raise self._told(error) from None

    def _decoded(self, packet: Any) -> Iterator[Image]:
        """A packet that was damaged on its way is left out; the next whole picture goes on."""
        try:
            for frame in packet.decode():
                if not frame.is_corrupt:
                    yield frame.to_ndarray(format="bgr24")
        except av.error.InvalidDataError:
            return

    def _told(self, error: av.error.FFmpegError) -> CameraError:
        """FFmpeg's own text may hold the address, so it is put in our words."""
        if isinstance(error, av.error.HTTPUnauthorizedError | av.error.HTTPForbiddenError):
            return without_camera(f"{self._label}: wrong user or password", CameraFault.FORBIDDEN)
        if isinstance(error, av.error.HTTPNotFoundError):
            return without_camera(f"{self._label}: it has nothing at this address", CameraFault.FORMAT)
        if isinstance(error, av.error.InvalidDataError):
            return without_camera(f"{self._label}: what comes is neither a film nor a picture", CameraFault.FORMAT)
        if isinstance(error, av.error.ExitError | TimeoutError):
            return self._network("it does not answer")
        return self._network(_unreached(error) or error.strerror or type(error).__name__)

    def _get(self) -> Any:
        """The answer to a request for the address. Raises CameraError."""
        parts = urlsplit(self._source)
        place = parts.netloc.rpartition("@")[2]
        request = urllib.request.Request(urlunsplit((parts.scheme, place, parts.path or "/", parts.query, "")))
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            try:
                return opener.open(request, timeout=ANSWER_S)
            except urllib.error.HTTPError as error:
                proof = self._proof(request, error)
                if not proof:
                    raise
                error.close()
            request.add_unredirected_header("Authorization", proof)
            return opener.open(request, timeout=ANSWER_S)
        except urllib.error.HTTPError as error:
            with error:
                code = error.code
            if code in (401, 403):
                raise without_camera(f"{self._label}: wrong user or password", CameraFault.FORBIDDEN) from None
            nothing = f"it has nothing at this address (status {code})"
            raise without_camera(f"{self._label}: {nothing}", CameraFault.FORMAT) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            why = "it does not answer" if isinstance(reason, TimeoutError) else _unreached(reason)
            raise self._network(why or getattr(reason, "strerror", None) or "it cannot be found") from None

    def _proof(self, request: urllib.request.Request, refusal: urllib.error.HTTPError) -> str:
        """The answer to a camera that asked who we are; "" where it did not ask, or the address names nobody.

        urllib's own handlers would do this, and leave the refusal's socket open.
        """
        parts = urlsplit(self._source)
        if refusal.code != 401 or parts.username is None:
            return ""
        user, password = unquote(parts.username), unquote(parts.password or "")
        for challenge in refusal.headers.get_all("WWW-Authenticate") or ():
            scheme, _, rest = challenge.partition(" ")
            if scheme.lower() == "digest":
                known = urllib.request.HTTPPasswordMgrWithDefaultRealm()
                known.add_password(None, request.full_url, user, password)
                fields = urllib.request.parse_keqv_list(list(filter(None, urllib.request.parse_http_list(rest))))
                handler: Any = urllib.request.AbstractDigestAuthHandler(known)
                return f"Digest {handler.get_authorization(request, fields)}"
            if scheme.lower() == "basic":
                return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"
        return ""

    def _kind_of_answer(self) -> str:
        with self._get() as answer:
            return str(answer.headers.get("Content-Type") or "").lower()

    def _single_pictures(self) -> Iterator[Image]:
        last, changed_at = b"", self._clock()
        while True:
            try:
                with self._get() as answer:
                    data: bytes = answer.read(MOST_BYTES)
            except OSError:
                raise self._network("it stopped in the middle of a picture") from None
            mark = hashlib.sha256(data).digest()
            if mark != last:
                last, changed_at = mark, self._clock()
                try:
                    yield picture_of(data)
                except PictureError as error:
                    raise without_camera(f"{self._label}: {error}", CameraFault.FORMAT) from None
            elif self._clock() - changed_at > SILENT_S:
                raise self._network(f"it has shown the same picture for {SILENT_S:g} s")
            time.sleep(LOOK_AGAIN_S)
