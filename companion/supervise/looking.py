"""The eye's child: opens the eye, takes pictures off the shelf, answers with readings.

To the child: ("shelf", name, slots, slot_bytes), ("look", method, picture, arguments, named), where the picture is the
shape of the one on the shelf or, with too little shared memory, itself. From it: ("open",), ("answer", value),
("error", text).
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from companion.supervise.shelf import Shelf

if TYPE_CHECKING:
    from vision.frame import Image


def look(pipe: Connection, opener: Callable[[], Any], nice: int) -> None:
    """The child's whole life. A question that fails is answered with its error; only death ends the child."""
    import os

    os.nice(nice)
    try:
        eye = opener()
    except Exception as error:
        pipe.send(("error", str(error) or type(error).__name__))
        return
    pipe.send(("open",))
    shelf: Shelf | None = None
    while True:
        message = pipe.recv()
        if message[0] == "shelf":
            if shelf is not None:
                shelf.close()
            shelf = Shelf(message[2], message[3], message[1])
            continue
        _, method, picture, arguments, named = message
        try:
            # No copy: whoever asked waits for the answer before he fills the slot again.
            answer = getattr(eye, method)(_found(picture, shelf), *arguments, **named)
        except Exception as error:
            pipe.send(("error", f"{type(error).__name__}: {error}".splitlines()[0]))
        else:
            pipe.send(("answer", answer))


def _found(picture: tuple[int, ...] | Image, shelf: Shelf | None) -> Image:
    if not isinstance(picture, tuple):
        return picture
    assert shelf is not None
    return shelf.view(0, picture)
