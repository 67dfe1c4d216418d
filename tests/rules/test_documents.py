"""The documents say what the code does, and the code refers to documents that are there."""

from __future__ import annotations

import re
from pathlib import Path

from companion.rules.ruleset import SHIPPED, load_ruleset
from companion.rules.ruleset_fields import FIELDS
from companion.rules.violations import Violation
from companion.rules.written import written

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules.md"
REFERENCE = re.compile(r"docs/rules\.md,?(?: sections?)? ?(\d+(?:\.\d+)?)")


def headings() -> set[str]:
    return set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)", RULES.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_reference_to_the_rules_names_a_section_that_is_there() -> None:
    known = headings()
    found = 0
    for folder in ("companion", "tests", "bench", "datasets"):
        for file in (ROOT / folder).rglob("*.py"):
            text = " ".join(file.read_text(encoding="utf-8").split())
            for section in REFERENCE.findall(text):
                found += 1
                assert section in known, (file.name, section)
    assert found > 50


def test_no_code_refers_to_rules_outside_the_project() -> None:
    for folder in ("companion", "tests", "bench"):
        for file in (ROOT / folder).rglob("*.py"):
            if file.name != "test_documents.py":
                assert not re.search(r"(?<!docs/)(?<![\w(-])rules\.md", file.read_text(encoding="utf-8")), file.name


def test_every_rule_set_is_in_the_rules() -> None:
    text = RULES.read_text(encoding="utf-8")
    for name in SHIPPED:
        assert f"`{name}`" in text
        assert load_ruleset(name).name == name


def test_every_code_has_words_and_is_open_with_fields_that_there_are() -> None:
    codes = written("rules/codes.toml")["codes"]
    assert set(codes) == set(Violation)
    assert {field for words in codes.values() for field in words.get("open_with", ())} <= set(FIELDS)
