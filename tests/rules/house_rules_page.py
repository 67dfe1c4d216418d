"""Writes docs/house-rules.md from the code: `python -m tests.rules.house_rules_page`.

Every field of every rule set, with its value, its mark and what its source says.
"""

from __future__ import annotations

from pathlib import Path

from companion.rules.ruleset import ANY_SET, HOUSE_SET_NAMES, RULESET_NAMES, RuleSet, load_ruleset
from companion.rules.ruleset_fields import CHINESE, FIELDS, MEXICAN, HandTable, fields_of

PAGE = Path(__file__).parents[2] / "docs" / "house-rules.md"

HEAD = """# House rules: every field of every rule set

![A new game: each rule set with what is special about it](../companion/pictures/rules.png)

Written from the code by `python -m tests.rules.house_rules_page`; a test says when it is out of date. The marks are
those of section 0 of [the rules](rules.md). A house writes only what differs into a file of its own
(`companion/rules/rulesets/README.md`).
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for family, title, names in (
        (MEXICAN, "Mexican Train", [n for n in RULESET_NAMES if load_ruleset(n).is_mexican]),
        (MEXICAN, "Mexican Train: public house sets", list(HOUSE_SET_NAMES)),
        (CHINESE, "Chinese connecting games", [n for n in RULESET_NAMES if not load_ruleset(n).is_mexican]),
    ):
        parts.append(_overview(title, family, names))
    parts.append("## What each field rests on\n")
    parts += [_sources(load_ruleset(name)) for name in (*RULESET_NAMES, *HOUSE_SET_NAMES)]
    return "\n".join(parts)


def _overview(title: str, family: str, names: list[str]) -> str:
    known = [load_ruleset(name) for name in names]
    columns = " | ".join(f"`{name}`" for name in names)
    lines = [f"## {title}\n", f"| field | {columns} |", "|---" * (len(names) + 1) + "|"]
    for field in fields_of(family):
        cells = [f"{_value(rules, field)} [{rules.sources[field].mark}]" for rules in known]
        lines.append(f"| `{field}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _sources(rules: RuleSet) -> str:
    lines = [f"### `{rules.name}`: {rules.title}\n", f"{rules.summary}\n"]
    lines += ["| field | value | mark | source |", "|---|---|---|---|"]
    for field in fields_of(rules.family):
        source = rules.sources[field]
        said = source.text.removeprefix(f"{rules.source}: ").replace("|", "\\|")
        lines.append(f"| `{field}` | {_value(rules, field)} | {source.mark} | {said} |")
    return "\n".join(lines) + "\n"


def _value(rules: RuleSet, field: str) -> str:
    value = getattr(rules, field)
    if field == "hand_table":
        return _hands(value)
    if value is None:
        return FIELDS[field].absent or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _hands(table: HandTable) -> str:
    rows = []
    for highest, row in table.items():
        name = "any set" if highest == ANY_SET else f"double-{highest}"
        rows.append(f"{name}: {', '.join(f'{players}→{tiles}' for players, tiles in row.items())}")
    return "; ".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
