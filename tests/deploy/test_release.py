"""A release as somebody gets it: nothing is missing, and it installs from a folder in a machine without a network."""

from __future__ import annotations

import ast
import hashlib
import json
import platform
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from deploy.one_name import MOVED, renamed
from deploy.release import build, notes
from deploy.sbom import ELSEWHERE, LINE, bill, licence_of, notice
from deploy.wheels import HASHES, MACHINES, PYTHONS, ROOT, download, hashed, needed
from tests.box.namespace import watched

HERE = (platform.machine(), f"{sys.version_info[0]}.{sys.version_info[1]}")
IMPORTED = {"paho-mqtt": "paho", "opencv-python-headless": "opencv_headless"}
"""Name of a package -> of its module; OpenCV is here with its windows, under another name."""
PICTURE = ROOT / "datasets" / "samples" / "close.jpg"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "dist"
    build(folder)
    return folder


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make wheels` fills for this machine."""
    folder = tmp_path_factory.mktemp("wheels")
    download(folder, *HERE, checked=HERE[1] in PYTHONS)
    return folder


def tracked() -> set[str]:
    told = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(told.stdout.splitlines())


@pytest.mark.slow
def test_the_sdist_is_the_whole_project(dist: Path) -> None:
    files = tracked()
    [packed] = dist.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert files - names == set()
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.slow
def test_the_wheel_carries_what_the_program_reads(dist: Path) -> None:
    [wheel] = dist.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for room, kind in (
        ("companion/rules", "toml"), ("companion/judge_api", "toml"), ("companion/cli", "toml"),
        ("companion/app", "toml"), ("companion/tracking", "toml"), ("companion/web/texts", "toml"),
        ("companion/web/templates", "html"), ("companion/web/templates", "svg"), ("companion/web/static", "js"),
        ("companion/web/translations", "po"), ("companion/hall/templates", "html"), ("vision/networks", "onnx"),
        ("vision/networks", "json"), ("hardware/bom", "toml"), ("hardware/panel", "toml"), ("docs", "md"),
    ):  # fmt: skip
        here = {str(path.relative_to(ROOT)) for path in (ROOT / room).rglob(f"*.{kind}")}
        there = here if room.startswith("companion/") else {f"companion/{name}" for name in here}
        assert there and there - names == set(), room
    assert "companion/py.typed" in names


@pytest.mark.slow
def test_the_wheel_takes_one_name_and_little_room(dist: Path) -> None:
    [wheel] = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"companion"}
        [listed] = [name for name in names if name.endswith("top_level.txt")]
        assert archive.read(listed).split() == [b"companion"]
        for name in names:
            if name.endswith(".py"):
                imported = re.search(rf"^\s*(from|import) ({'|'.join(MOVED)})\b", archive.read(name).decode(), re.M)
                assert imported is None, f"{name}: {imported}"
    assert [name for name in names if name.endswith((".pt", ".stl", ".step", ".jpg"))] == []
    assert wheel.stat().st_size <= 6_000_000


@pytest.mark.slow
def test_a_release_has_its_notes_and_the_hash_of_each_file(dist: Path) -> None:
    listed = dict(reversed(line.split("  ")) for line in (dist / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    assert listed == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in dist.iterdir() if path.name != "SHA256SUMS"
    }
    assert {"NOTES.md", "NOTICE", "sbom.cdx.json", "page.pot"} < set(listed) and len(listed) == 6
    assert (dist / "page.pot").read_text(encoding="utf-8").count("\nmsgid ") > 1000


def test_the_notes_are_the_version_s_own() -> None:
    assert notes("0.1.0").startswith("- The whole line from a camera's frames")
    assert "## " not in notes("0.3.0").replace("### ", "")
    with pytest.raises(LookupError, match="has no part"):
        notes("9.9")


def test_only_the_imports_of_moved_packages_are_renamed() -> None:
    before = (
        "from vision.eye import open_eye\nfrom visions import a\n    import datasets\n# from vision\nx = 'vision.eye'\n"
    )
    after = "from companion.vision.eye import open_eye\nfrom visions import a\n    import companion.datasets\n"
    assert renamed(before) == after + "# from vision\nx = 'vision.eye'\n"


def test_the_name_is_shared_by_taking_nothing_from_its_init() -> None:
    """Another package of that name replaces this one file: it holds words, and a version for which we never ask it."""
    words, version = ast.parse((ROOT / "companion/__init__.py").read_text(encoding="utf-8")).body
    assert isinstance(words, ast.Expr) and isinstance(words.value, ast.Constant)
    assert isinstance(version, ast.FunctionDef) and version.name == "__getattr__"
    asks = re.compile(r"from companion import (?:.*\W)?__version__|companion\.__version__\b")
    asking = [path for path in (ROOT / "companion").rglob("*.py") if asks.search(path.read_text(encoding="utf-8"))]
    assert asking == [ROOT / "companion/__init__.py"]
    assert not (ROOT / "companion/utils.py").exists()


@pytest.mark.slow
@pytest.mark.parametrize("left", ("", None), ids=("emptied", "removed"))
def test_the_wheel_works_without_its_init(dist: Path, tmp_path: Path, left: str | None) -> None:
    """Installing another package of that name beside it empties this one file, and uninstalling that one removes it."""
    [wheel] = dist.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    init = tmp_path / "companion" / "__init__.py"
    init.unlink() if left is None else init.write_text(left, encoding="utf-8")
    read = subprocess.run(
        [sys.executable, "-m", "companion", "read", str(PICTURE), "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert read.returncode == 0 and len(json.loads(read.stdout)["tiles"]) > 3, read.stderr
    asked = "import companion.cli.serve, companion.hall, companion.rules; print(companion.rules.__file__)"
    there = subprocess.run([sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert there.stdout.startswith(str(tmp_path)), there.stderr


def test_no_source_uses_a_moved_package_by_its_bare_name() -> None:
    """`import vision.eye` binds `vision`: the name that the wheel has not. `from vision import eye` is renamed."""
    bare = re.compile(rf"^\s*import ({'|'.join(MOVED)})\b", re.M)
    for room in ("companion", *MOVED):
        for path in (ROOT / room).rglob("*.py"):
            assert bare.search(path.read_text(encoding="utf-8")) is None, path


@pytest.mark.slow
def test_it_installs_and_reads_in_a_machine_without_a_network(dist: Path, wheels: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare")
    python = str(tmp_path / "bare" / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check"]
    pip += ["install", "--no-index", "--no-deps", "--no-compile"]
    from_folder = ["--find-links", str(wheels), "--require-hashes", "--requirement", str(HASHES)]
    if HERE[1] not in PYTHONS:
        from_folder = [str(path) for path in wheels.glob("*.whl")]
    [wheel] = dist.glob("*.whl")
    for words in ([*pip, *from_folder], [*pip, str(wheel)]):
        done = watched(words)
        assert done.rc == 0, done.err
    done = watched([str(tmp_path / "bare" / "bin" / "companion"), "read", str(PICTURE), "--json"])
    assert done.rc == 0 and done.asked == [], done.err
    assert len(json.loads(done.out)["tiles"]) > 3
    # Beside a package of somebody else that is called as one of our folders, the demo's parts are found all the same.
    (tmp_path / "datasets.py").write_text("mine = True\n", encoding="utf-8")
    asked = (
        "import datasets, companion.cli.serve, companion.cli.serve, companion.datasets.simulator.evening; datasets.mine"
    )
    python = str(tmp_path / "bare" / "bin" / "python")
    imported = subprocess.run([python, "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert imported.returncode == 0, imported.stderr


def test_every_requirement_has_a_hash_for_every_machine() -> None:
    names = {
        match[1]: match[3].split()
        for line in HASHES.read_text(encoding="utf-8").splitlines()
        if (match := LINE.match(line))
    }
    wanted = {requirement.split(">")[0].strip().lower() for requirement in needed()}
    assert wanted - set(names) == set()
    everywhere = len(MACHINES) * len(PYTHONS)
    assert len(names["numpy"]) == len(names["onnxruntime"]) == everywhere


def test_the_hashes_are_of_the_versions_that_are_tested() -> None:
    pinned = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        name, equals, version = line.partition("==")
        if equals:
            pinned[name.strip().lower().replace("_", "-")] = version.split(";")[0].strip()
    for line in HASHES.read_text(encoding="utf-8").splitlines():
        if match := LINE.match(line):
            assert pinned.get(match[1], match[2]) == match[2], f"{match[1]}: run python -m deploy.wheels --renew"


def test_a_changed_file_has_another_hash(tmp_path: Path) -> None:
    (tmp_path / "some_thing-1.0-py3-none-any.whl").write_bytes(b"a")
    before = hashed(tmp_path)
    assert "some-thing==1.0 --hash=sha256:" in before
    (tmp_path / "some_thing-1.0-py3-none-any.whl").write_bytes(b"b")
    assert hashed(tmp_path) != before


def test_licences_of_what_a_release_is_built_without_are_known() -> None:
    here = [name for name in ELSEWHERE if find_spec(IMPORTED.get(name, name)) is not None]
    assert len(here) >= 3
    assert {name: licence_of(name) for name in here} == {name: ELSEWHERE[name] for name in here}
    packages = {line[1] for line in map(LINE.match, HASHES.read_text(encoding="utf-8").splitlines()) if line}
    assert ELSEWHERE.keys() <= packages


def test_the_bill_of_materials_names_every_package_and_network() -> None:
    told = bill()
    assert told["bomFormat"] == "CycloneDX" and told["metadata"]["component"]["version"]
    names = {part["name"] for part in told["components"]}
    shipped = {path.name for path in (ROOT / "vision/networks").iterdir()} - {"manifest.json"}
    assert {"numpy", "flask", "onnxruntime"} | shipped <= names
    assert all(next(iter(part["licenses"][0]["license"].values())) for part in told["components"])
    said = notice()
    assert [name for name in names if f"\n  {name}" not in said] == []
    assert all(len(part["hashes"][0]["content"]) == 64 for part in told["components"])
