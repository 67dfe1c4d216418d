"""The tables that the site adds to the documents hold what the code holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.judge_api.definitions import kinds
from companion.rules.ruleset import HOUSE_SET_NAMES, RULESET_NAMES, load_ruleset
from companion.rules.ruleset_fields import FIELDS
from deploy.site import stage
from deploy.tables import allowed, api, house_rules, judge

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_site_has_each_document_with_its_table_behind_it(tmp_path: Path) -> None:
    stage(tmp_path)
    for name, table in (("house-rules", house_rules), ("judge", judge), ("api", api)):
        written = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        assert (tmp_path / "docs" / f"{name}.md").read_text(encoding="utf-8") == f"{written}\n{table()}"


@pytest.mark.parametrize(
    ("field", "said"),
    (
        ("draws", "one, until_playable"),
        ("may_decline", "true or false"),
        ("quick_set", "a whole number from 1 to 1000, or `none`"),
        ("head_tail", "[7, 8] or [6, 7]"),
    ),
)
def test_a_field_of_a_rule_set_has_what_it_may_hold(field: str, said: str) -> None:
    assert allowed(field) == said
    assert f"| `{field}` | {said} |" in house_rules()


def test_every_field_of_every_rule_set_is_there_with_its_source() -> None:
    text = house_rules()
    for name in (*RULESET_NAMES, *HOUSE_SET_NAMES):
        rules = load_ruleset(name)
        section = text.partition(f"### `{name}`")[2].partition("### ")[0]
        assert [
            one for one, field in FIELDS.items() if rules.family in field.families and f"| `{one}` |" not in section
        ] == []


def test_every_kind_of_question_is_there_with_its_answer() -> None:
    assert all(f"## `{kind}`\n" in judge() for kind in kinds())
    assert '{"id": 1, "hand": 15, "boneyard": -6, "verdict": "impossible"}' in judge()


def test_a_route_has_its_fields_and_says_whether_it_needs_the_pin() -> None:
    lines = {line.split("`")[1]: line for line in api().splitlines() if line.startswith("| `")}
    assert "needs the PIN" in lines["POST /api/play"] and "`train`: " in lines["POST /api/play"]
    assert "needs the PIN" not in lines["GET /api/state"] and lines["GET /api/state"].endswith("|  |")


def test_the_documents_say_what_they_are_for_in_twenty_thousand_words() -> None:
    # The translators' table is words of ten languages, and grows with each.
    pages = [page for page in DOCS.glob("*.md") if page.name != "terms.md"]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= 20_000
