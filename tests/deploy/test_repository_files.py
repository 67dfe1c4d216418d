"""The files around the code: workflows, forms and the index of the benches name what is there."""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.site import stage

ROOT = Path(__file__).resolve().parents[2]
GITHUB = sorted([*(ROOT / ".github").rglob("*.yml"), ROOT / ".pre-commit-config.yaml"])


def read(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("path", GITHUB, ids=lambda path: path.name)
def test_every_yaml_file_is_one_object(path: Path) -> None:
    assert read(path)


def test_the_workflow_tests_every_python_that_the_package_promises() -> None:
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    least, below = map(int, re.findall(r"3\.(\d+)", promised))
    matrix = read(ROOT / ".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in range(least, below)]
    assert any("arm" in each["machine"] for each in matrix["include"])


def test_every_script_and_target_of_a_workflow_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    runs = [
        step["run"]
        for path in (ROOT / ".github/workflows").glob("*.yml")
        for job in read(path)["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]
    assert runs
    for run in runs:
        for script in re.findall(r"^(\.ci/\S+)", run):
            assert (ROOT / script).is_file()
        for target in re.findall(r"^make (\S+)", run):
            assert target in targets


def test_the_forms_ask_for_what_is_needed_to_look_into_a_fault() -> None:
    accused = (ROOT / ".github/ISSUE_TEMPLATE/accused-wrongly.yml").read_text(encoding="utf-8")
    misread = (ROOT / ".github/ISSUE_TEMPLATE/misread-tiles.yml").read_text(encoding="utf-8")
    assert "companion report" in accused and "companion read" in misread


def test_the_development_container_is_set_up_by_commands_that_are_there() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    assert container["postCreateCommand"] == "make .venv/.test && .ci/chromium"
    assert (ROOT / ".ci/chromium").is_file()


def test_the_index_of_the_benches_names_every_program_and_no_other() -> None:
    index = (ROOT / "bench/README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`bench\.([a-z_]+)", index))
    programs = {
        path.stem
        for path in (ROOT / "bench").glob("*.py")
        if path.stem != "__main__" and '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert named == programs
    ten, others = (re.findall(r"^\| `.*$", part, re.M) for part in index.split("## ")[1:3])
    assert len(ten) == 10
    assert [row for row in (*ten, *others) if re.fullmatch(r"\|[^|]+\|[^|]+\| [^|]+ \|", row) is None] == []


def test_every_page_for_people_is_in_the_site() -> None:
    site = read(ROOT / "docs/mkdocs.yml")
    doors = [one for one in site["nav"] if isinstance(one, dict)]
    assert [next(iter(door)) for door in doors] == [
        "Play an evening",
        "Build the box",
        "Club and Home Assistant",
        "Develop",
    ]
    listed = {page for door in doors for pages in door.values() for page in pages}
    assert {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} <= listed
    assert [page for page in listed if not (ROOT / page).is_file()] == []


def test_every_link_between_documents_leads_somewhere() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pages = [path for path in stage(Path(folder)) if path.suffix == ".md"]
        assert len(pages) > 25
        dead = [
            f"{page}: {link}"
            for page in pages
            for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8"))
            if "://" not in link and not (ROOT / page.parent / link).exists()
        ]
    assert dead == []


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = read(ROOT / "CITATION.cff")
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert citation["authors"] == project["authors"] == [{"name": "the contributors"}]


def test_nobody_is_told_to_install_a_name_that_nobody_owns() -> None:
    """The project is not on the package index: its name there may be anybody's by tomorrow."""
    told = re.compile(r"(pip|pipx|uv tool) install[^\n`]*tabletop-companion(?!-)")
    for path in (*ROOT.rglob("*.md"), *(ROOT / "companion").rglob("*.py"), *(ROOT / "hardware").rglob("*.py")):
        if ".venv" not in path.parts:
            assert told.search(path.read_text(encoding="utf-8")) is None, path


def test_every_page_for_people_has_a_picture() -> None:
    doors = [one for one in read(ROOT / "docs/mkdocs.yml")["nav"] if isinstance(one, dict)][:3]
    pages = [page for door in doors for pages in door.values() for page in pages]
    assert len(pages) > 10
    assert [page for page in pages if "![" not in (ROOT / page).read_text(encoding="utf-8")] == []


def test_the_readme_and_each_release_stay_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 700
    releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    for release in releases:
        assert len([line for line in release.splitlines()[1:] if line]) <= 25, release[:20]


def test_the_results_leave_seeds_and_commits_to_the_benches() -> None:
    text = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    assert re.search(r"seed|\b[0-9a-f]{7}\b| --", text) is None
    told = set(re.findall(r"\[(\d+)\](?!\()", text))
    listed = set(re.findall(r"^(\d+)\. ", (ROOT / "bench/results/commands.md").read_text(encoding="utf-8"), re.M))
    assert told == listed


CARDS = sorted([*(ROOT / "models").glob("CARD-*.md"), ROOT / "datasets/CARD.md"])


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_card_is_one_page_in_the_form_of_model_hubs(card: Path) -> None:
    _, front, text = card.read_text(encoding="utf-8").split("---\n", 2)
    known = yaml.safe_load(front)
    assert known["license"] == "agpl-3.0" and known["tags"]
    assert len(text.split()) <= 520
    parts = re.findall(r"^## (\w+)", text, re.M)
    if card.parent.name == "models":
        assert known["pipeline_tag"] and parts == ["Model", "Use", "Training", "Evaluation", "Limitations"]
    else:
        assert known["task_categories"] and parts == ["Structure", "How", "Limits", "Licence"]
