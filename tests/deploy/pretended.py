"""A machine made of stubs: apt, systemctl and the rest only write down what they were told, in a root of their own."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"

RECORDED = ("apt-get", "useradd", "usermod", "userdel", "chown")

STUBS = {
    "systemctl": """
echo "systemctl $*" >> "$STUB/calls"
case "$1" in
  is-active) [ -e "$STUB/active" ] ;;
  restart | start) case "$*" in *companion.service*) touch "$STUB/active" ;; esac ;;
  stop | disable) case "$*" in *companion.service*) rm -f "$STUB/active" ;; esac ;;
esac
""",
    "dpkg-query": """
for package; do :; done
grep -qx "$package" "$STUB/packages" 2>/dev/null && echo -n "install ok installed"
""",
    "getent": """
grep -qx "$1 $2" "$STUB/accounts"
""",
    "id": """
case "$1" in -u) echo 0 ;; -nG) echo companion ;; esac
""",
    "hostname": "echo box\n",
    "sleep": "exit 0\n",
    # python3 is several things to the installer: it makes the venv, asks for the phase, for /health, and for picamera2.
    "python3": """
echo "python3 $*" >> "$STUB/calls"
case "$1" in
  -m)
    for target; do :; done
    mkdir -p "$target/bin"
    printf '#!/bin/bash\\necho "venv python $*" >> "$STUB/calls"\\n' > "$target/bin/python"
    printf 'case "$*" in *camera.stack) cat "$STUB/camera-stack" && exit 1; exit 0 ;; esac\\n' >> "$target/bin/python"
    printf '#!/bin/bash\\necho "companion $*" >> "$STUB/calls"\\n[ ! -e "$STUB/unwell" ]\\n' > "$target/bin/companion"
    chmod +x "$target/bin/python" "$target/bin/companion"
    ;;
  -) cat > /dev/null; cat "$STUB/phase" ;;
  -c)
    if [ "$2" = "import picamera2" ]; then ! cat "$STUB/own-stack" 2>/dev/null; exit; fi
    case "$3" in *:8010/*) [ ! -e "$STUB/mute-hall" ]; exit ;; esac
    [ ! -e "$STUB/mute" ] && ! grep -qsF "$(readlink "$DESTDIR/opt/companion/current")" "$STUB/broken"
    ;;
esac
""",
}


@dataclass
class Box:
    """One pretended Raspberry Pi."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def stub(self) -> Path:
        return self.folder / "stub"

    @property
    def source(self) -> Path:
        return self.folder / "source"

    @property
    def home(self) -> Path:
        return self.root / "opt/companion"

    @property
    def data(self) -> Path:
        return self.root / "var/lib/companion"

    @property
    def present(self) -> str:
        return str((self.home / "current").readlink()).removeprefix("releases/")

    @property
    def calls(self) -> list[str]:
        log = self.stub / "calls"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def forget(self) -> None:
        (self.stub / "calls").unlink(missing_ok=True)

    def new_version(self, words: str) -> None:
        (self.source / "companion/program.py").write_text(f"# {words}\n", encoding="utf-8")

    def systemd_starts_the_service(self, phase: str = "waiting") -> None:
        (self.stub / "active").touch()
        self.set("phase", phase)

    def set(self, name: str, content: str = "") -> None:
        (self.stub / name).write_text(content + "\n", encoding="utf-8")

    def stub_command(self, name: str, body: str) -> None:
        stub = self.folder / "bin" / name
        stub.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        stub.chmod(0o755)

    def run(self, *arguments: str, script: str = "install.sh") -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "DESTDIR": str(self.root),
            "STUB": str(self.stub),
            "COMPANION_OS_RELEASE": str(self.folder / "os-release"),
            "COMPANION_MODEL_FILE": str(self.folder / "model"),
            "COMPANION_HEALTH_TRIES": "2",
            "LC_ALL": "C.UTF-8",
        }
        return subprocess.run(
            ["/bin/bash", str(self.source / "deploy" / script), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def files(self) -> dict[str, bytes]:
        """Every file and link under the root, with its content."""
        found: dict[str, bytes] = {}
        for path in sorted(self.root.rglob("*")):
            if path.is_symlink():
                found[str(path.relative_to(self.root))] = str(path.readlink()).encode()
            elif path.is_file():
                found[str(path.relative_to(self.root))] = path.read_bytes()
        return found
