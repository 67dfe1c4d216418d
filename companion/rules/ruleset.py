"""Rule sets as data: one frozen object for each game and house, read from `companion/rules/rulesets/*.toml`.

A house writes its own file with `extends = "tactic"` and the fields that differ; single evenings pass `options`.
Each field of a shipped file stands with the source it rests on and a mark: T stated by the text, I implied by it,
A ambiguous or silent (the default stands there), E an error or contradiction in the source (docs/rules.md, section 0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion.rules.ruleset_fields import (
    ANY_SET,
    CHINESE,
    FIELDS,
    LABELS,
    MEXICAN,
    OPTION_NAMES,
    ContradictionError,
    HandTable,
    RuleSetError,
    fields_of,
)
from companion.rules.tile import RulesError
from companion.rules.written import written

__all__ = ["ANY_SET", "CHINESE", "MEXICAN", "RULESET_NAMES", "RuleSet", "RuleSetError", "Source", "load_ruleset"]

RULESET_NAMES = ("tactic", "reeves", "cz", "poltava", "jielong", "chedeng", "kkori")
HOUSE_SET_NAMES = ("goodsam", "goodsam-florida", "owlshollow", "longtrain", "ninesteps")
"""Well-known ways to play Mexican Train that public pages describe; what such a page does not say accuses nobody."""
SHIPPED = (*RULESET_NAMES, *HOUSE_SET_NAMES)
MOST_PLAYERS = 12
LARGEST = 65_536
"""Characters of a file of rules; a published one has a few thousand."""

MOST_DOTS = 100
"""In one key: none of ours has one, and tomllib takes minutes for twenty thousand."""

LONGEST_FAMILY_LINE = 8
"""A house that extends a house that extends ...: more steps than this are a circle."""

SILENT = "silent_as"
"""Like `extends`, for a text that says less than the rule set it is filled up from: what it does not say is open."""

OPEN = "A"
"""The mark of a field about which the source is silent or ambiguous."""

CONTRADICTED = "E"
"""The mark of a field about which the source errs or contradicts itself."""

HOUSE = "house"
"""The mark of a house's own rule."""

_MARKS = ("T", "I", OPEN, CONTRADICTED, HOUSE)


@dataclass(frozen=True, slots=True)
class Source:
    """The ground of a field: a mark (T, I, A, E, or "house" for a house's own rule) and the place in plain words.

    >>> from companion.rules import load_ruleset
    >>> load_ruleset('tactic').sources['quick_set']
    Source(mark='T', text='004: the quick game')
    """

    mark: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """The rules of one game. The fields are docs/rules.md section 3 by name; those of the other family stay at rest.

    >>> from companion.rules import load_ruleset
    >>> load_ruleset('tactic').title
    'Mexican Train (boxed game)'
    """

    name: str
    family: str
    title: str
    native_title: str
    language: str
    source: str
    summary: str
    hand_table: HandTable = field(hash=False)
    may_decline: bool = False
    decline_draws: bool = True
    open_hands: bool = False
    hand: int | None = None

    sets: tuple[int, ...] = ()
    quick_set: int | None = None
    long_first: bool = False
    first_simultaneous: bool = False
    first_optional: bool = False
    strict_first_train: bool = False
    first_draw: bool = True
    first_double_opens: bool = False
    finish_first_lap: bool = False
    mx_from_turn: int = 1
    others_from_turn: int = 1
    mx_root: str = "engine"
    mx_sign: str | None = None
    engine_from: str = "set_aside"
    starter_by: str = "chosen"
    draws: str = "one"
    extra_tile: str = "anywhere"
    """Where the second tile goes after a double: on the double, or anywhere."""
    extra_in_order: bool = False
    max_doubles_per_turn: int | None = None
    """None: no limit."""
    close_order: str = "any"
    """Which open double must be covered first."""
    closings_per_turn: int = 1
    """1 in every source, which is what the end of a turn with its first plain tile comes to. No other number is
    accepted."""
    redraw_after_drawn_double: bool = True
    marker_after: str = "nothing_laid"
    marker_off: str = "own"
    marker_off_required: bool = True
    marker_on_empty_boneyard: str = "required"
    dead_double: str = "release"
    """The fate of a double that can no longer be covered."""
    block_rule: str = "empty_and_all_pass"
    scoring: str = "penalty"
    blocked_winner_zero: bool = False
    double_blank: int = 0
    announce: str | None = None
    """None: no announcement."""
    announce_penalty: int = 0
    rounds: int | None = None
    """None: one round for each double of the set."""
    first_engine: int | None = None
    """None: the highest double of the set."""

    arms: int = 1
    settlement: str = "pairwise"
    head_tail: tuple[int, int] = (7, 8)
    multipliers: bool = False
    redeal_doubles: int | None = None
    small_deck_players: tuple[int, ...] = ()
    next_leader: str = "winner"
    match_deals: int | None = None

    match_points: int | None = None
    """The match ends once somebody has so many."""
    match_until: str | None = None
    """A time of day, as 22:30: then the table is asked whether the match ends."""

    sources: Mapping[str, Source] = field(default_factory=lambda: MappingProxyType({}), hash=False, compare=False)
    open_fields: frozenset[str] = field(default=frozenset(), init=False, repr=False, hash=False, compare=False)
    contradicted_fields: frozenset[str] = field(default=frozenset(), init=False, repr=False, hash=False, compare=False)
    """About these the source contradicts itself: the rule stands, and accuses nobody for certain either."""

    def __post_init__(self) -> None:
        silent = frozenset(name for name, source in self.sources.items() if source.mark == OPEN)
        object.__setattr__(self, "open_fields", silent)
        contradicted = frozenset(name for name, source in self.sources.items() if source.mark == CONTRADICTED)
        object.__setattr__(self, "contradicted_fields", contradicted)

    def leaves_open(self, field: str) -> bool:
        """Whether the source is silent or ambiguous about this field: its default stands, and accuses nobody. Raises
        RulesError.

        >>> from companion.rules import load_ruleset
        >>> load_ruleset('poltava').leaves_open('double_blank')
        True
        """
        try:
            return field in self.open_fields
        except TypeError:
            raise RulesError(f"field: expected a name, not {field!r}") from None

    @property
    def is_mexican(self) -> bool:
        """Whether it is a Mexican Train, and no connecting game with Chinese tiles.

        >>> from companion.rules import load_ruleset
        >>> load_ruleset('kkori').is_mexican
        False
        """
        return self.family == MEXICAN

    def hand_size(self, set_max: int, players: int) -> int | None:
        """Tiles dealt to each of `players`; None where the rule set has no number for them. Raises RulesError.

        >>> from companion.rules import load_ruleset
        >>> load_ruleset('tactic').hand_size(12, 4)
        15
        """
        if self.hand is not None:
            return self.hand
        try:
            return self.hand_table.get(set_max, self.hand_table.get(ANY_SET, {})).get(players)
        except TypeError:
            raise RulesError(f"set_max, players: expected whole numbers, not {set_max!r}, {players!r}") from None

    def players_allowed(self, set_max: int = ANY_SET) -> tuple[int, ...]:
        """The numbers of players that the hand table has for this set, ascending; any where the house names a hand.
        Raises RulesError.

        >>> from companion.rules import load_ruleset
        >>> load_ruleset('reeves').players_allowed(9)
        (2, 3, 4)
        """
        if self.hand is not None:
            return tuple(range(2, MOST_PLAYERS + 1))
        try:
            return tuple(sorted(self.hand_table.get(set_max, self.hand_table.get(ANY_SET, {}))))
        except TypeError:
            raise RulesError(f"set_max: expected a whole number, not {set_max!r}") from None

    def first_engine_of(self, set_max: int) -> int:
        """The value of the first round's engine with the set up to `set_max`.

        >>> from companion.rules import load_ruleset
        >>> load_ruleset('tactic').first_engine_of(12)
        12
        """
        return set_max if self.first_engine is None else self.first_engine

    def rounds_of(self, set_max: int) -> int:
        """How many rounds a match has with the set up to `set_max`. Raises RulesError.

        >>> from companion.rules import load_ruleset
        >>> load_ruleset('tactic').rounds_of(12)
        13
        """
        try:
            return set_max + 1 if self.rounds is None else self.rounds
        except TypeError:
            raise RulesError(f"set_max: expected a whole number, not {set_max!r}") from None

    def has_small_deck(self, players: int | None) -> bool:
        """Whether the doubles from 3:3 up stay in the box (Kkori for two or three).

        >>> from companion.rules import load_ruleset
        >>> load_ruleset('kkori').has_small_deck(3)
        True
        """
        return players in self.small_deck_players


def load_ruleset(name_or_path: str | Path, options: Mapping[str, Any] | None = None) -> RuleSet:
    """The rule set of that name, or of a house's own .toml file, with single fields changed by `options`.

    Raises:
        RuleSetError: one line naming the file or option, the field, and what was expected.

    >>> from companion.rules import load_ruleset
    >>> load_ruleset('tactic', {'draws': 'until_playable'}).draws
    'until_playable'
    """
    changes = dict(options or {})
    if not isinstance(name_or_path, (str, Path)):
        raise RuleSetError(f"rules: expected one of {', '.join(RULESET_NAMES)} or the path of a .toml file")
    if isinstance(name_or_path, str) and name_or_path in SHIPPED:
        return _shipped(name_or_path, _frozen(changes))
    path = Path(name_or_path)
    if path.suffix != ".toml":
        expected = f"expected one of {', '.join(RULESET_NAMES)} or the path of a .toml file"
        raise RuleSetError(f"rules: no rule set {_shown(str(name_or_path))}, {expected}")
    return with_options(_from_file(path, 0), changes)


def with_options(rules: RuleSet, options: Mapping[str, Any]) -> RuleSet:
    """The same rule set with single fields changed. Raises RuleSetError for an unknown name or a wrong value.

    >>> from companion.rules import load_ruleset, with_options
    >>> with_options(load_ruleset('tactic'), {'announce_penalty': 2}).announce_penalty
    2
    """
    changed: dict[str, Any] = {}
    for option, value in options.items():
        name = OPTION_NAMES.get(option, option)
        if name not in fields_of(rules.family):
            raise RuleSetError(f"options.{_name(option)}: no such field in the {rules.family} games")
        if name in changed:
            raise RuleSetError(f"options.{option}: given twice, under both its names")
        try:
            changed[name] = FIELDS[name].value(value)
        except ValueError as expected:
            raise RuleSetError(f"options.{option}: {expected}, not {_shown(value)}") from None
    if not changed:
        return rules
    sources = {**rules.sources, **{name: Source(HOUSE, "options of this game") for name in changed}}
    rules = replace(rules, **changed, sources=MappingProxyType(sources))
    _refuse_contradiction("options", rules)
    return rules


def house_file(extends: str, title: str, options: Mapping[str, Any]) -> str:
    """The text of a house's own rule file: the fields that differ from the rule set that it extends.

    Raises RuleSetError where the rule set does not have the options or they contradict each other.

    >>> from companion.rules import house_file
    >>> print(house_file('tactic', 'At home', {'draws': 'until_playable'}), end='')
    extends = "tactic"
    title = "At home"
    <BLANKLINE>
    draws = "until_playable"
    """
    load_ruleset(extends, options)
    lines = [f"extends = {_toml(extends)}", f"title = {_toml(title)}", ""]
    lines += [f"{OPTION_NAMES.get(name, name)} = {_toml(value)}" for name, value in options.items()]
    return "\n".join(lines) + "\n"


def ruleset_to_json(rules: RuleSet) -> dict[str, Any]:
    """All that a rule set says, as a house's file would: what differs from a shipped one of its family."""
    parent = rules.name if rules.name in SHIPPED else "tactic" if rules.is_mexican else "jielong"
    base = _shipped(parent, "{}")
    found: dict[str, Any] = {"extends": parent, "name": rules.name}
    found |= {label: getattr(rules, label) for label in LABELS if getattr(rules, label) != getattr(base, label)}
    for name in fields_of(rules.family):
        value, source = getattr(rules, name), rules.sources.get(name)
        if value != getattr(base, name) or source != base.sources.get(name):
            found[name] = {"value": _plain(name, value)}
            found[name] |= {} if source is None else {"mark": source.mark, "source": source.text}
    return found


def ruleset_of(said: Mapping[str, Any]) -> RuleSet:
    """The rule set that `ruleset_to_json` has written. Raises RuleSetError."""
    written = dict(said)
    name = written.pop("name", "house")
    if not isinstance(name, str) or "extends" not in written:
        raise RuleSetError("rules: expected name and extends, such as tactic")
    return _extended(written, name, Path("rules"), 0)


def _plain(name: str, value: Any) -> Any:
    if name == "hand_table":
        rows = {key: {str(players): hand for players, hand in row.items()} for key, row in value.items()}
        return {"any" if key == ANY_SET else str(key): row for key, row in rows.items()}
    return list(value) if isinstance(value, tuple) else value


def _toml(value: Any) -> str:
    """A value as TOML writes it; for flags, numbers, texts, lists and tables that is how JSON does, but for tables."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(str(key))} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _frozen(options: Mapping[str, Any]) -> str:
    try:
        return json.dumps(options, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise RuleSetError("options: expected field names with plain values") from None


@lru_cache(maxsize=256)
def _shipped(name: str, frozen_options: str) -> RuleSet:
    if frozen_options != "{}":
        return with_options(_shipped(name, "{}"), json.loads(frozen_options))
    file = f"{name}.toml"
    text = (Path(__file__).parent / "rulesets" / file).read_text(encoding="utf-8")
    written = _parse(text, file)
    parent = written.get(SILENT)
    return _read(written, name, file, base=None if parent is None else _shipped(parent, "{}"))


def _from_file(path: Path, steps: int) -> RuleSet:
    try:
        if path.is_fifo():
            raise RuleSetError(f"{path}: is a pipe, expected a rule set")
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
    except UnicodeDecodeError:
        raise RuleSetError(f"{path}: expected UTF-8 text") from None
    except OSError as problem:
        raise RuleSetError(f"{path}: {problem.strerror or 'cannot be read'}, expected a rule set") from None
    except ValueError:  # no file has such a name
        raise RuleSetError(f"rules: expected the path of a .toml file, not {_shown(str(path))}") from None
    return _extended(_parse(text, str(path)), path.stem, path, steps)


def _extended(written: dict[str, Any], name: str, path: Path, steps: int) -> RuleSet:
    """The rule set that is written there, on top of the one it extends."""
    if "extends" in written and SILENT in written:
        raise RuleSetError(f"{path}: {SILENT}: expected extends or {SILENT}, not both")
    parent = written.get("extends", written.get(SILENT))
    base: RuleSet | None = None
    if parent is not None:
        if not isinstance(parent, str):
            raise RuleSetError(f"{path}: extends: expected the name or path of a rule set")
        if steps >= LONGEST_FAMILY_LINE:
            raise RuleSetError(f"{path}: extends: the files extend each other in a circle")
        if parent in SHIPPED:
            base = _shipped(parent, "{}")
        elif parent.endswith(".toml"):
            base = _from_file(path.parent / parent, steps + 1)
        else:
            expected = f"expected one of {', '.join(RULESET_NAMES)} or the path of a .toml file"
            raise RuleSetError(f"{path}: extends: no rule set {_shown(parent)}, {expected}")
    return _read(written, name, str(path), base)


def loaded(text: str) -> dict[str, Any]:
    """TOML as `tomllib` reads it, but for what keeps it busy for ever. Raises ValueError, RecursionError."""
    if len(text) > LARGEST:
        raise ValueError(f"expected at most {LARGEST} characters")
    for number, line in enumerate(text.splitlines(), 1):
        if line.partition("=")[0].count(".") > MOST_DOTS:
            raise ValueError(f"line {number}: expected at most {MOST_DOTS} dots in a key")
    import tomllib  # a program that reads no rule set need not wait for it

    return tomllib.loads(text.removeprefix("\ufeff"))  # Windows' editors write one


def _parse(text: str, file: str) -> dict[str, Any]:
    try:
        return loaded(text)
    except (ValueError, RecursionError) as problem:
        raise RuleSetError(f"{file}: expected TOML: {' '.join(str(problem).split())}") from None


def _read(written: dict[str, Any], name: str, file: str, base: RuleSet | None) -> RuleSet:
    written.pop("extends", None)
    silent = written.pop(SILENT, None)
    values: dict[str, Any] = {"name": name}
    for label, reader in LABELS.items():
        if label in written:
            values[label] = _value(reader.value, written.pop(label), file, label)
        elif base is None:
            raise RuleSetError(f"{file}: {label}: missing")
    if base is not None and values.get("family", base.family) != base.family:
        raise RuleSetError(f"{file}: family: expected {base.family}, the family of {base.name}")
    family = base.family if base is not None else values["family"]
    known = fields_of(family)
    sources = dict(base.sources) if base is not None else {}
    if silent is not None:
        source = values.get("source", file)
        sources = {name: Source(OPEN, f"{source}: silent; as in {silent}") for name in sources}
    for key, entry in written.items():
        if key not in known:
            raise RuleSetError(f"{file}: {_name(key)}: no such field in the {family} games")
        plain, sources[key] = _entry(entry, file, key)
        values[key] = _value(FIELDS[key].value, plain, file, key)
    values["sources"] = MappingProxyType(sources)
    if base is None:
        for key in known:
            if key not in values:
                raise RuleSetError(f"{file}: {key}: missing")
    rules = RuleSet(**values) if base is None else replace(base, **values)
    _refuse_contradiction(file, rules)
    return rules


def _refuse_contradiction(where: str, rules: RuleSet) -> None:
    for one, other, why in contradictions(rules):
        raise ContradictionError(where, one, other, why)


def contradictions(rules: RuleSet) -> list[tuple[str, str, str]]:
    """Pairs of fields that cannot both hold as they are, and why. Raises RulesError.

    >>> from companion.rules import contradictions, load_ruleset
    >>> contradictions(load_ruleset('tactic'))
    []
    """
    wrong = {
        "first_simultaneous long_first": rules.first_simultaneous and not rules.long_first,
        "first_optional long_first": rules.first_optional and not rules.long_first,
        "strict_first_train long_first": rules.strict_first_train and not rules.long_first,
        "strict_first_train first_optional": rules.strict_first_train and rules.first_optional,
        "finish_first_lap long_first": rules.finish_first_lap and not rules.long_first,
        "first_double_opens long_first": rules.first_double_opens and not rules.long_first,
        "mx_from_turn long_first": rules.long_first and rules.mx_from_turn == 1,
        "max_doubles_per_turn extra_tile": rules.extra_tile == "this_double" and rules.max_doubles_per_turn != 1,
        "close_order extra_tile": rules.extra_tile != "this_double" and rules.close_order == "single",
        "extra_in_order close_order": rules.extra_in_order and rules.close_order not in ("fifo", "lifo", "either"),
        "blocked_winner_zero scoring": rules.blocked_winner_zero and rules.scoring == "first_out",
        "multipliers settlement": rules.multipliers and rules.settlement != "pairwise",
        "match_points settlement": not (rules.is_mexican or rules.match_points is None or rules.settlement == "points"),
    }
    known: dict[str, str] = written("rules/codes.toml")["contradictions"]
    pairs = [pair for pair, contradict in wrong.items() if contradict]
    return [(pair.split()[0], pair.split()[1], known[pair]) for pair in pairs]


def _entry(entry: Any, file: str, name: str) -> tuple[Any, Source]:
    """A field is written as {value, mark, source}, in a house's file also as the bare value."""
    if not (isinstance(entry, dict) and "value" in entry):
        return entry, Source(HOUSE, file)
    extra = set(entry) - {"value", "mark", "source"}
    if extra:
        raise RuleSetError(f"{file}: {name}: expected value, mark and source, not {', '.join(sorted(extra))}")
    mark, source = entry.get("mark", HOUSE), entry.get("source", file)
    if mark not in _MARKS:
        raise RuleSetError(f"{file}: {name}.mark: expected one of {', '.join(_MARKS)}, not {_shown(mark)}")
    if not isinstance(source, str) or not source.strip():
        raise RuleSetError(f"{file}: {name}.source: expected a text")
    return entry["value"], Source(mark, source)


def _value(read: Any, plain: Any, file: str, name: str) -> Any:
    try:
        return read(plain)
    except ValueError as expected:
        raise RuleSetError(f"{file}: {name}: {expected}, not {_shown(plain)}") from None


def _name(written: Any) -> str:
    return written if isinstance(written, str) and written.isidentifier() and len(written) <= 40 else _shown(written)


def _shown(value: Any) -> str:
    """A value as one short line of an error message."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 40 else text[:37] + "..."
