"""Does the product still say what it said? `python -m bench.frozen main`.

Games are played by bots, told as a camera would see them, told while somebody taps beside them, tapped by people who
slip and answer, seen by a drawn camera, and read from the golden journals. Kept are a hash of the journal, of
`/api/state` after every change, of the pages in every language, and of what the commands print. The hashes of the
working tree are compared with those of a commit, and the first difference of each corpus is printed as text. Status 1
where anything differs.

A commit is asked in a copy of its own, with its own version of this program where it has one. Its hashes are kept in
build/frozen. Rounds that `bench.corpus` recorded (filmed ones take minutes) are told again with `--recorded DIR`.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from hashlib import md5
from itertools import islice, zip_longest
from pathlib import Path
from random import Random
from typing import Any, cast

from click.testing import CliRunner

from bench import tapped
from bench.reissue import tell
from bench.replay import Recorded
from bench.stand_ins import tables
from bench.stand_ins.background import Compiled
from bench.stand_ins.fakes import PIN, QUICK, FakeCamera, FakeSession, fake_workshop
from bench.stand_ins.making import ticking
from bench.stand_ins.playing import play_out
from bench.stand_ins.sketch import LARGER, KnowingEye, sketched
from bench.stand_ins.tables import PAGES
from bench.stand_ins.watching import watching
from bench.table import with_faults
from bench.told import Meddled, ToldTable, UnfilmedRound
from companion.__main__ import companion
from companion.app.games import create_game, look_at_game, open_game
from companion.app.state import AppState, GameRepository
from companion.game.game import Game
from companion.game.game_view import as_json
from companion.game.rejected import CommandRejected, RejectionReason
from companion.judge_api.definitions import example, kinds
from companion.log.event_fields import Header
from companion.log.journal import Journal
from companion.rules.reasons import Facts, explain
from companion.rules.ruleset import RULESET_NAMES, SHIPPED, load_ruleset
from companion.rules.violations import Violation
from companion.rules.written import written
from companion.storage.repairs import LASTING_TROUBLE, Repair, Repairs
from companion.web.access import PinLock
from companion.web.app import PageSettings, create_app
from companion.web.languages import LANGUAGES
from companion.web.messages import messages
from companion.web.texts import REFUSALS, REPAIRS, cases, remedies
from datasets.bots import BotGame
from datasets.bots.planting import plantable
from datasets.simulator.room import BlankFilm

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "frozen"
GOLDEN = ROOT / "tests" / "games"
FIRST_SEED = 7700
GAME = "game-0001"

VERBS = (
    "start_round", "observe", "play", "draw", "pass_turn", "done", "cannot_play", "discard", "mark", "unmark", "flip",
    "announce", "report", "undo", "correct", "answer", "put_in_order", "was_so", "ask", "drop_question",
    "end_round", "show_hand", "show_hands",
)  # fmt: skip
"""The calls that tell a session something; each of them may change the page."""

ON_THE_TABLE = ("/", "/tv", "/scores", "/ask", "/round-end", "/round-start", "/seats", "/share")
"""The pages of a game being played."""

TABLES = (
    tables.midgame, tables.illegal, tables.uncovered_double, tables.off_record, tables.question, tables.unscored,
    tables.eight_players, tables.chinese_line, tables.waiting, tables.round_over, tables.match_over,
)  # fmt: skip

MORE_PAGES = ("/manual", "/players", "/match-end", "/statistics", "/repairs", "/table", "/learn", "/invite")

Said = tuple[str, bytes]
"""A question, and its answer."""

Hashes = dict[str, list[list[str]]]
"""Corpus -> each question in order, with the hash of its answer."""

Ask = Callable[[Path], Iterable[Said]]
"""Asks everything of one corpus, with an empty folder to do it in."""


class Pages:
    """The page over a game, for somebody who may change it."""

    def __init__(self, state: AppState) -> None:
        self.state = state
        settings = PageSettings(pin=PIN, names=("localhost",), testing=True)
        self.app = create_app(state, settings, PinLock.of(PIN, QUICK))
        self.app.config["SECRET_KEY"] = "frozen"
        self.app.jinja_env.bytecode_cache = Compiled()
        self.app.jinja_env.globals["asset_mark"] = "mark"
        self.client = self.app.test_client()
        assert self.client.post("/api/pin", json={"pin": PIN, "name": "Olena"}).status_code == 200

    def get(self, path: str, **headers: str) -> bytes:
        """The answer without what no two runs have in common."""
        answer = self.client.get(path, headers=headers).data
        answer = re.sub(rb'name="once" value="[^"]+"|"seconds": ?[\d.]+', b"ONCE", answer)
        return answer.replace(self.state.signal.mark.encode(), b"MARK")

    def in_every_language(self, paths: Iterable[str], when: str = "") -> Iterator[Said]:
        for path in paths:
            for language in LANGUAGES:
                yield f"{when}{path} in {language}", self.get(f"{path}{'&' if '?' in path else '?'}lang={language}")


class Witness:
    """A session that is asked for its state after everything it is told, and now and then for its pages."""

    def __init__(self, session: Game, folder: Path, pages_every: int) -> None:
        self._session, self._every = session, pages_every
        repository = GameRepository(create=create_game, open=open_game, look=look_at_game, read_hand=lambda *_: {})
        state = AppState(session, data_dir=folder, repository=repository, game=GAME)
        self.pages, self.changes = Pages(state), 0
        self.said: list[Said] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._session, name)
        if name not in VERBS:
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            brought = found(*arguments, **named)
            self.look()
            return brought

        return call

    def look(self) -> None:
        self.changes += 1
        self.said.append((f"state after change {self.changes}", self.pages.get("/api/state")))
        if self.changes % self._every == 0:
            self.look_at_pages()

    def look_at_pages(self) -> None:
        plays = self._session.snapshot().plays
        ruled = [play["seq"] for play in plays if play.get("violations")][-2:] or [play["seq"] for play in plays[-1:]]
        paths = [*ON_THE_TABLE, *(f"/play/{seq}" for seq in ruled)]
        self.said += self.pages.in_every_language(paths, f"after change {self.changes}: ")
        self.said += [(f"after change {self.changes}: /api/view", self.pages.get("/api/view"))]

    def close(self) -> list[Said]:
        """The last pages, the journal, and everything that was asked before."""
        self.look_at_pages()
        seqs = [event.seq for event in self._session.events]
        paths = [f"/games/{GAME}/replay?at={at}" for at in seqs[:: max(1, len(seqs) // 3)]]
        plays = [play["seq"] for play in self._session.snapshot().plays if play["event"] == "tile_played"]
        paths += [f"/games/{GAME}/changes", *(f"/play/{seq}/why" for seq in plays[-1:])]
        self.said += self.pages.in_every_language(paths)
        journal = self._session.journal.content
        self._session.close()
        self.pages.state.signal.close()
        return [*self.said, ("journal", journal)]


class Asked:
    """Everything that is asked, in corpora that do not depend on each other."""

    def __init__(self, rounds: int, scenes: int, every: int, recorded: Path | None) -> None:
        self.rounds, self.scenes, self.every, self.recorded = rounds, scenes, every, recorded

    def corpora(self) -> dict[str, Ask]:
        found: dict[str, Ask] = {"commands": commands, "refusals": refusals, "repairs": repairs}
        for table in TABLES:
            found[f"pages/{table.__name__}"] = lambda _, table=table: pages_of(table)
        for name in SHIPPED:
            found[f"codes/{name}"] = lambda _, name=name: codes_of(name)
        for path in sorted(GOLDEN.glob("*.jsonl")):
            found[f"golden/{path.stem}"] = partial(self.golden, path=path)
        for n in range(self.rounds):
            name, seed = RULESET_NAMES[n % len(RULESET_NAMES)], FIRST_SEED + n
            ways = {"bots": self.bots, "told": self.told, "meddled": self.meddled, "tapped": self.tapped}
            for kind, told in ways.items():
                found[f"{kind}/{name}-{seed}"] = partial(told, name=name, seed=seed)
        for n in range(max(1, self.rounds // len(RULESET_NAMES))):
            name, seed = RULESET_NAMES[n % len(RULESET_NAMES)], FIRST_SEED + n
            found[f"sketched/{name}-{seed}"] = partial(self.sketched, name=name, seed=seed)
        for path in sorted(self.recorded.glob("*.jsonl")) if self.recorded else ():
            found[f"recorded/{path.stem}"] = partial(self.told_again, path=path)
        return found

    def witness(self, session: Game, folder: Path) -> Any:
        return Witness(session, folder, self.every)

    def golden(self, folder: Path, path: Path) -> Iterator[Said]:
        journal = journal_in(folder)
        journal.write_bytes(path.read_bytes())
        for options in ((), ("--json",)):
            yield printed("replay", str(path), *options)
        session = open_game(journal)
        for at in range(0, session.seq, 10):
            yield f"state at {at}", json.dumps(as_json(session.snapshot(at))).encode()
        yield from self.witness(session, folder).close()

    def bots(self, folder: Path, name: str, seed: int) -> Iterable[Said]:
        rules = load_ruleset(name)
        players, set_max = 4 if name == "chedeng" else 3, 9 if rules.is_mexican else 6
        game = BotGame(
            rules, players, seed, set_max=set_max, plant=plantable(name), plant_rate=0.08, plants_per_round=5, rounds=1
        )
        header = Header(name, f"double-{set_max}" if rules.is_mexican else "chinese", game.players)
        session = self.witness(Game.create(journal_in(folder), header, ticking()), folder)
        for played in game.rounds():
            play_out(session, played)
        return session.close()

    def told(self, folder: Path, name: str, seed: int, kind: type[Game] = Game) -> Iterable[Said]:
        camera = UnfilmedRound(seed, with_faults(name, self.scenes), BlankFilm)
        told = kind.create(journal_in(folder), camera.setup().header, ticking())
        if isinstance(told, Meddled):
            told.rng = Random(f"frozen {seed}")
        session = self.witness(told, folder)
        ToldTable(camera).tell(session)
        return session.close()

    def meddled(self, folder: Path, name: str, seed: int) -> Iterable[Said]:
        return self.told(folder, name, seed, Meddled)

    def tapped(self, folder: Path, name: str, seed: int) -> Iterable[Said]:
        def created(header: Header) -> Any:
            return self.witness(Game.create(journal_in(folder), header, ticking()), folder)

        witness: Any = tapped.tell(seed, created, names=(name,))[0]
        return cast(list[Said], witness.close())

    def sketched(self, folder: Path, name: str, seed: int) -> Iterable[Said]:
        camera = sketched(seed, with_faults(name, min(self.scenes, 12)), LARGER)
        session, _, watcher = watching(camera, journal_in(folder), eye=KnowingEye(camera, seed=seed))
        session.journal._clock = ticking()
        witness, known = self.witness(session, folder), -1
        while watcher.step():
            if session.seq != known:
                known = session.seq
                witness.look()
        return witness.close()

    def told_again(self, folder: Path, path: Path) -> Iterable[Said]:
        recorded = Recorded.read(path)
        header = Header.from_json(dict(recorded.head["header"]))
        session = self.witness(Game(Journal.create(journal_in(folder), header, ticking()), recorded.rules), folder)
        for line in recorded.lines:
            if "call" in line:
                tell(session, line)
        return session.close()


def journal_in(folder: Path) -> Path:
    path = folder / "games" / GAME / "journal.jsonl"
    path.parent.mkdir(parents=True)
    return path


def printed(*arguments: str, stdin: str | None = None) -> Said:
    answer = CliRunner().invoke(companion, arguments, input=stdin)
    name = " ".join(Path(one).name for one in arguments)
    return f"companion {name}", answer.output.replace(str(ROOT), "").encode()


def commands(_: Path) -> Iterator[Said]:
    """Schemas, the judge's help and its examples; and what translators are given."""
    yield "messages", json.dumps(sorted(map(str, messages())), indent=1, ensure_ascii=False).encode()
    for name in ("judge", "events", "setup", "api"):
        yield printed("schema", name)
    yield printed("judge", "--help")
    for kind in kinds().values():
        question = json.dumps(example(kind), ensure_ascii=False)
        yield question, printed("judge", "--explain", stdin=question)[1]


def page_over(session: FakeSession) -> Pages:
    state = AppState(session, repository=fake_workshop(), camera=FakeCamera(), game="tonight")  # type: ignore[arg-type]
    return Pages(state)


def pages_of(table: Callable[[], Mapping[str, Any]]) -> Iterator[Said]:
    page = page_over(FakeSession(table(), lines=tables.lines()))
    yield from page.in_every_language((*PAGES, *MORE_PAGES))
    for theme in ("dark", "light"):
        yield f"/ {theme}", page.get(f"/?theme={theme}")


def codes_of(rules: str) -> Iterator[Said]:
    """The page of a play with each code of one rule set, and the rule set's set-up page."""
    session = FakeSession(tables.midgame(), lines=tables.lines())
    page = page_over(session)
    chinese = not load_ruleset(rules).is_mexican
    languages = LANGUAGES if rules in ("tactic", "chedeng") else ("en",)
    for code in Violation:
        for facts in (Facts(), Facts("Ann", "5-7", "Ben")):
            yield f"reason {code}", repr(explain(load_ruleset(rules), code, facts)).encode()
        table = tables.chinese_line() if chinese else tables.midgame(rules=rules)
        table["rules"], table["plays"] = rules, [tables.play(32, "Ben", (6, 0), "R" if chinese else "Cyril", code)]
        session.show(table)
        for language in languages:
            yield f"{code} in {language}", page.get(f"/play/32?lang={language}")
    yield from page.in_every_language((f"/setup?rules={rules}",))


def refusals(_: Path) -> Iterator[Said]:
    session = FakeSession(tables.midgame())
    page = page_over(session)
    for reason in RejectionReason:
        about = {name: name for name in re.findall(r"%\((\w+)\)s", written(REFUSALS)["refusals"].get(reason, ""))}
        session.refuses = CommandRejected(reason, **{"fault": "fault", **about})
        for language in LANGUAGES:
            answer = page.client.post(f"/api/draw?lang={language}", json={"by": "Ann"})
            yield f"{reason} in {language}", answer.data


def repairs(_: Path) -> Iterator[Said]:
    """Every case of what is wrong with the box, in every language."""
    page = page_over(FakeSession(tables.midgame()))
    found = []
    for code, text in cases().items():
        about = {name: name for name in re.findall(r"%\((\w+)\)s", repr(text))}
        found += [
            Repair(code, {**about, "part": part}) for part in (written(REPAIRS)["parts"] if "part" in about else ("",))
        ]
    found += [Repair(LASTING_TROUBLE, {"words": f"{beginning} and more"}) for beginning in (*remedies(), "whatever")]
    for case in found:
        page.state.repairs = Repairs(clock=ticking())
        page.state.repairs.report(case)
        for language in LANGUAGES:
            for path in ("/", "/repairs", "/health"):
                yield f"{case.code} {case.about} {path} in {language}", page.get(f"{path}?lang={language}")


def hashes(asked: Asked, only: str = "") -> Hashes:
    """Ask all corpora with `only` in their names."""
    found: Hashes = {}
    for name, said in asked.corpora().items():
        if only not in name:
            continue
        start = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            found[name] = [[what, md5(answer).hexdigest()] for what, answer in said(Path(folder))]
        print(f"{name}: {len(found[name])} answers, {time.process_time() - start:.1f} s", file=sys.stderr, flush=True)
    return found


def content(asked: Asked, name: str, what: str) -> bytes:
    """The answer to one question."""
    with tempfile.TemporaryDirectory() as folder:
        return next((answer for asked_for, answer in asked.corpora()[name](Path(folder)) if asked_for == what), b"")


def readable(answer: bytes) -> list[str]:
    """An answer in lines that can be compared: JSON by its fields, a page by its elements."""
    text = answer.decode("utf-8", "replace")
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True).splitlines()
    except ValueError:
        return text.replace(">", ">\n").splitlines()


class Commit:
    """The same questions to a commit, in a copy of its own."""

    def __init__(self, name: str, options: list[str], folder: Path) -> None:
        ask = ("git", "rev-parse", "--verify", f"{name}^{{commit}}")
        self.hash = subprocess.run(ask, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        self.options, self.folder = options, folder

    def checked_out(self) -> Path:
        """Its files; this program among them where it has none of that name."""
        if not any(self.folder.iterdir()):
            packed = subprocess.run(("git", "archive", self.hash), cwd=ROOT, check=True, capture_output=True).stdout
            subprocess.run(("tar", "x", "-C", str(self.folder)), input=packed, check=True)
            own = self.folder / "bench" / "frozen.py"
            if not own.exists():
                own.write_bytes(Path(__file__).read_bytes())
        return self.folder

    def asked(self, *arguments: str) -> bytes:
        command = (sys.executable, "-m", "bench.frozen", *self.options, *arguments)
        return subprocess.run(command, cwd=self.checked_out(), check=True, stdout=subprocess.PIPE).stdout

    def hashes(self) -> Hashes:
        kept = KEPT / f"{self.hash[:12]}-{md5(' '.join(self.options).encode()).hexdigest()[:8]}.json"
        if not kept.exists():
            found = self.asked("--hashes")
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(found)
        read: Hashes = json.loads(kept.read_text(encoding="utf-8"))
        return read


def compare(asked: Asked, now: Hashes, commit: Commit) -> Iterator[str]:
    """The differences, in words: for each corpus how many, and the first answer that has changed."""
    before = commit.hashes()
    for name in sorted(now.keys() | before.keys()):
        if name not in now or name not in before:
            yield f"{name}: only {'here' if name in now else 'there'}"
            continue
        pairs = [(one, two) for one, two in zip_longest(before[name], now[name]) if one != two]
        if not pairs:
            continue
        old, new = pairs[0]
        yield f"{name}: {len(pairs)} of {len(now[name])} answers differ, first: {(new or old or ['?'])[0]}"
        if old is None or new is None or old[0] != new[0]:
            yield f"  there {old and old[0]}, here {new and new[0]}"
            continue
        was = readable(commit.asked("--show", name, new[0]))
        shown = difflib.unified_diff(was, readable(content(asked, name, new[0])), "there", "here", lineterm="", n=1)
        yield from (f"  {line}" for line in islice(shown, 30))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=len(RULESET_NAMES), help="rounds of each kind")
    parser.add_argument("--scenes", type=int, default=24, help="changes of the table told of each round")
    parser.add_argument("--every", type=int, default=40, help="look at the pages after so many changes")
    parser.add_argument("--recorded", type=Path, help="folder of rounds that bench.corpus recorded")
    parser.add_argument("--only", default="", help="only corpora with this in their names")
    parser.add_argument("--hashes", action="store_true", help="print the hashes of the working tree")
    parser.add_argument("--show", nargs=2, metavar=("CORPUS", "QUESTION"), help="print one answer")
    options = parser.parse_args()
    asked = Asked(options.rounds, options.scenes, options.every, options.recorded)
    if options.show:
        sys.stdout.buffer.write(content(asked, *options.show))
        return 0
    now = hashes(asked, options.only)
    if options.hashes:
        print(json.dumps(now))
        return 0
    same = [f"--rounds={options.rounds}", f"--scenes={options.scenes}", f"--every={options.every}"]
    same += [f"--only={options.only}"] if options.only else []
    same += [f"--recorded={options.recorded.absolute()}"] if options.recorded else []
    with tempfile.TemporaryDirectory() as folder:
        differing = list(compare(asked, now, Commit(options.commit, same, Path(folder))))
    for line in differing:
        print(line)
    print(f"{len(now)} corpora, {sum(map(len, now.values()))} answers: " + ("they differ" if differing else "the same"))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
