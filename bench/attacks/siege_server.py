"""The live page in a process of its own, its camera unplugged at will: what bench/attacks/siege.py lays siege to.

Arguments: the port's file, the folder of the troubled camera. Each line on stdin is an order: `record` writes one
event.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from bench.stand_ins import tables
from bench.stand_ins.background import serve_in_background
from bench.stand_ins.cameras import open_troubled
from bench.stand_ins.fakes import FakeCamera, FakeSession
from companion.app.state import AppState
from companion.supervise.camera import SupervisedCamera
from companion.supervise.eye import keep_watching
from companion.web.app import PageSettings, create_app

PIN = "135790"


def main() -> None:
    port_file, folder = Path(sys.argv[1]), Path(sys.argv[2])
    session, shown = FakeSession(tables.midgame()), FakeCamera()
    app_state = AppState(session, camera=shown, game="tonight", data_dir=folder)
    stop = threading.Event()
    with SupervisedCamera(f"usb:{folder}", opener=open_troubled) as camera:

        def lost(message: str, why: str) -> None:
            shown.state, shown.message, shown.why = "lost", message, why
            app_state.signal.notify()

        def back() -> None:
            shown.state, shown.message, shown.why = "read", None, ""
            app_state.signal.notify()

        watching = threading.Thread(
            target=keep_watching,
            args=(lambda: camera.read() is not None,),
            kwargs={"lost": lost, "back": back, "stop": stop},
        )
        watching.start()
        server, port = serve_in_background(create_app(app_state, PageSettings(pin=PIN)))
        fresh = port_file.with_suffix(".new")
        fresh.write_text(str(port), encoding="ascii")
        fresh.replace(port_file)
        for order in sys.stdin:
            if order.strip() == "record":
                session.record(event="drew", by="Ann", source="person")
        stop.set()
        watching.join()
        server.stop()


if __name__ == "__main__":
    main()
