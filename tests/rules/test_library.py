"""The rules as a library: what `companion.rules` promises to other programs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from companion import reading, rules
from companion.rules import RULESET_NAMES, Board, Position, RulesError, load_ruleset, print_action, print_chain
from datasets.bots import BotGame

OURS = ("companion", "vision")

JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    3,
    2.5,
    "",
    "x",
    "\n",
    "1-1",
    "9:9",
    ["1-1", 7],
    {"Ann": 3},
    {"Ann": "1-1"},
    object(),
    b"1-1",
)


def modules() -> list[types.ModuleType]:
    found = [rules]
    for module in pkgutil.walk_packages(rules.__path__, "companion.rules."):
        found.append(importlib.import_module(module.name))
    return found


def public(package: types.ModuleType = rules) -> dict[str, Any]:
    return {name: getattr(package, name) for name in package.__all__}


def public_callables(package: types.ModuleType = rules) -> dict[str, Any]:
    """Every public function, and every public method and property of every public class of our own making."""
    found: dict[str, Any] = {}
    for name, value in public(package).items():
        if inspect.isfunction(value):
            found[f"{value.__module__}.{value.__qualname__}"] = value
        elif inspect.isclass(value) and value.__module__.partition(".")[0] in OURS:
            for inner, member in vars(value).items():
                plain = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                ours = inspect.isfunction(plain) and plain.__qualname__.startswith(value.__qualname__)
                if ours and (not inner.startswith("_") or (inner == "__str__" and plain.__doc__)):
                    found[f"{value.__module__}.{value.__qualname__}.{inner}"] = plain
        else:
            assert value is not None, name
    return found


def named_in(hint: Any) -> Iterator[type]:
    """The classes that a type is made of."""
    if isinstance(hint, type) and get_origin(hint) is None:
        yield hint
    for inner in get_args(hint):
        yield from named_in(inner)


def examples() -> dict[str, doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    return {test.name: test for module in modules() for test in finder.find(module, module.__name__) if test.examples}


def test_every_example_does_what_it_says() -> None:
    runner = doctest.DocTestRunner()
    for test in examples().values():
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_every_public_class_has_an_example_and_most_methods_have() -> None:
    found = set(examples())
    classes = {
        f"{value.__module__}.{value.__qualname__}"
        for value in public().values()
        if inspect.isclass(value) and value.__module__.startswith("companion.")
    }
    assert sorted(classes - found) == []
    assert len(set(public_callables()) & found) >= 80


@pytest.mark.parametrize("package", (rules, reading), ids=("rules", "reading"))
def test_every_public_name_is_described_and_typed(package: types.ModuleType) -> None:
    for name, value in public(package).items():
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, name
    for name, function in public_callables(package).items():
        assert function.__doc__, f"{name} has no docstring"
        signature = inspect.signature(function)
        bare = [
            p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")
        ]
        assert bare == [] and signature.return_annotation is not signature.empty, name


@pytest.mark.parametrize("package", (rules, reading), ids=("rules", "reading"))
def test_a_public_name_takes_and_gives_public_types_alone(package: types.ModuleType) -> None:
    named = {id(value) for value in (*public(rules).values(), *public(reading).values())}
    typed = [value for value in public(package).values() if inspect.isclass(value)] + [
        *public_callables(package).values(),
        *(
            vars(value)["__init__"]
            for value in public(package).values()
            if "__init__" in getattr(value, "__dict__", {})
        ),
    ]
    for one in typed:
        for hint in get_type_hints(one).values():
            hidden = [kind for kind in named_in(hint) if kind.__module__.partition(".")[0] in OURS]
            assert [kind for kind in hidden if id(kind) not in named] == [], one


def test_whoever_asks_for_a_tile_loads_no_judge() -> None:
    loaded = "sorted(one for one in sys.modules if 'companion' in one)"
    code = f"import sys; from companion import rules; rules.Tile, dir(rules).index('Board'); print({loaded})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'companion.rules.tile'" in ran.stdout
    assert not any(one in ran.stdout for one in ("judge", "board", "audit", "notation"))


def test_no_public_name_is_a_modules_which_would_take_its_place() -> None:
    assert {one.name for one in pkgutil.iter_modules(rules.__path__)}.isdisjoint(rules.__all__)


def values() -> dict[str, Any]:
    """One value of each public class, by the name of the class."""
    board, line = Board("tactic", ["Ann", "Ben"]), Board("jielong", ["Ann", "Ben", "Cy"])
    board.push("play 12-5@Ann")
    line.push("play 2:6@R")
    laid = rules.Laid(12, 5)
    found = (board, board.rules, board.position, line.position, board.status(), laid, laid.tile)
    return {type(value).__qualname__: value for value in (*found, *board.explain("play 5-6@Ann"))}


def test_every_public_function_raises_one_error_and_its_docstring_says_so() -> None:
    mine = values()
    good = {
        "rules": mine["RuleSet"],
        "position": mine["Position"],
        "table": mine["Position"],
        "players": ["Ann", "Ben"],
    }
    asked = 0
    for name, function in public_callables().items():
        owner = mine.get(function.__qualname__.rpartition(".")[0])
        ask = function if owner is None else getattr(type(owner), function.__name__)
        given = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
        if isinstance(ask, property) or not given:
            continue
        ask = function if owner is None else getattr(owner, function.__name__)
        for one in given:
            for junk in JUNK:
                arguments = {due.name: good.get(due.name, "1-1") for due in given if due.default is due.empty}
                try:
                    ask(**{**arguments, one.name: junk})
                except RulesError as refused:
                    asked += 1
                    assert str(refused) and "\n" not in str(refused)
                    assert re.search(r"Raises\b.*\n?.*Error", function.__doc__), (
                        f"{name}: {one.name}={junk!r}: {refused}"
                    )
    assert asked > 1000


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(rules.__file__).parents[1] / "py.typed").is_file()


def test_importing_the_rules_takes_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules); import companion.rules;"
        "new = set(sys.modules) - before; print(len(new));"
        "print(sorted({n.partition('.')[0] for n in new} - set(sys.stdlib_module_names)));"
        "print(sorted(n for n in new if n.startswith('companion.') and not n.startswith('companion.rules')))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert int(said[0]) < 120
    assert said[1:] == ["['companion']", "[]"]


@pytest.mark.parametrize("name", RULESET_NAMES)
def test_a_round_of_bots_is_legal_and_is_read_back_from_its_text(name: str) -> None:
    ruleset = load_ruleset(name)
    game = BotGame(ruleset, 4 if name == "chedeng" else 3, 11, set_max=ruleset.sets[0] if ruleset.sets else 12)
    dealt = next(iter(game.rounds()))
    board = Board(name, dealt.start.players, turn=dealt.starter, round=1 if ruleset.is_mexican else None)
    for turn in dealt.turns():
        if isinstance(turn.before, Position):
            assert set(board.legal_plays(turn.hand)) <= set(board.legal_plays())
        board.push(turn.actions, by=turn.player)
        after = turn.after.trains if isinstance(turn.after, Position) else {"line": turn.after.line}
        sign = "-" if ruleset.is_mexican else ":"
        assert board.trains == {train: print_chain(chain, sign) for train, chain in after.items()}
    assert len(board.turns) > 5
    assert [turn for turn in board.turns if not turn.ruling.legal] == []
    again = Board.read(board.text())
    assert again.text() == board.text() and again.position == board.position
    assert [turn.ruling for turn in again.turns] == [turn.ruling for turn in board.turns]
    while board.turns:
        board.pop()
    assert board.position == Board.read("\n".join(again.text().split("\n\n")[:1])).position


def test_a_turn_out_of_turn_is_said_and_the_table_follows_it() -> None:
    board = Board("tactic", ["Ann", "Ben", "Cy"])
    ruling = board.push("play 12-5@Cy", by="Cy")
    assert {str(code) for code in ruling.codes} == {"OUT_OF_TURN"}
    assert board.trains["Cy"] == "12-5" and board.turn == "Ann"


def test_a_board_takes_turns_as_text_and_as_acts() -> None:
    board = Board("poltava", ["Ann", "Ben"])
    acts = rules.parse_action("play 9-5@Ann; end") if board.ends["Ann"] == 9 else rules.parse_action("play 12-5@Ann")
    assert board.judge(acts) == board.judge(print_action(acts)) == board.judge(list(acts))


def test_a_house_file_is_a_rule_set_of_a_board(tmp_path: Path) -> None:
    path = tmp_path / "home.toml"
    path.write_text(rules.house_file("tactic", "At home", {"announce_penalty": 2}), encoding="utf-8")
    assert Board(path).rules.announce_penalty == 2
    assert Board("tactic", options={"announce_penalty": 2}).rules.announce_penalty == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    (
        (lambda: Board("tactics"), "rules: no rule set"),
        (lambda: Board("tactic", "Ann"), "players: expected two or more different names"),
        (lambda: Board("tactic", ["Ann", "Ann"]), "players: expected two or more different names"),
        (lambda: Board("tactic", set="twelve"), "set: expected a whole number from 1 to 99"),
        (lambda: Board("tactic", engine="12/12"), "engine: "),
        (lambda: Board("tactic", trains={"Zed": "12-5"}), "trains: expected one of Ann, Ben, MX, MX2"),
        (lambda: Board("tactic", trains={"Ann": "12.5"}), "trains.Ann: "),
        (lambda: Board("jielong", set=12), "set, engine, trains: expected none of them"),
        (lambda: Board("tactic").push("play 12-5@Zed"), "turn: train: expected one of Ann, Ben, MX, MX2"),
        (lambda: Board("tactic").push("fly"), "'fly' is no act"),
        (lambda: Board("tactic").pop(), "pop: expected a turn"),
        (lambda: Board("tactic").score({"Ann": ""}), "hands: expected the tiles of each player, and Ben is missing"),
        (lambda: Board("tactic").score({"Ann": "", "Ben": "5"}), "hands: '5' is no tile"),
        (lambda: Board("tactic").legal_plays(5), "hand: expected a list, not int"),
        (lambda: Board.read("rules: tactic\nplayer: Ann\nplayer: Ben\n\nZed: draw"), "line 5: expected PLAYER: TURN"),
        (lambda: Board.read("player: Ann"), "rules: missing in the head"),
        (lambda: rules.score(load_ruleset("tactic"), {}, mode="x"), "mode: expected one of penalty"),
        (lambda: rules.match_winners({}, "penalty"), "totals: expected points of each player"),
        (lambda: rules.settle(load_ruleset("kkori"), ["Ann"], {}), "pips, discards: expected a number"),
        (lambda: rules.double_set(-1), "highest: expected"),
        (lambda: Board("tactic").position.after("Zed"), "player: expected one of Ann, Ben"),
    ),
)
def test_what_cannot_be_used_is_refused_in_one_line(asked: Any, said: str) -> None:
    with pytest.raises(RulesError) as refused:
        asked()
    assert said in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("field", inspect.signature(Board).parameters)
def test_nothing_but_its_own_error_comes_out_of_a_board(field: str) -> None:
    for value in JUNK:
        try:
            board = Board(**{field: value})
        except RulesError:
            continue
        for ask in (board.legal_plays, board.judge, board.push, board.is_dead, board.score, Board.read):
            for asked in JUNK:
                try:
                    ask(asked)
                except RulesError as refused:
                    assert str(refused) and "\n" not in str(refused)
        assert board.status().verdict and str(board) and board.is_blocked() in (True, False)
