"""Measure the shipped weights and write models/baseline.json.

    python -m models.evaluate --photographs DIR --rendered DIR      all figures, group by group, into the baseline
    python -m models.evaluate --traced DIR                          the same of tables of `datasets.traced`, apart
    python -m models.evaluate --quick                               the few committed rendered samples, for CI

The photographs are scored by their own measure (models/scoring.py) and are never trained on; fresh rendered tables are
scored apart from them, since being good at one's own renderings is no news. `--quick` compares with the baseline and
exits 1 when something got worse.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

from datasets.folder_argument import LABELLED, RENDERED, folder_with
from models import scoring
from models.calibrate import expected_error
from models.crops import LEGIBLE
from models.table import VIEWS
from models.things import Tally
from models.totals import totals
from vision.weights import shipped_weights

HERE = Path(__file__).parent
BASELINE = HERE / "baseline.json"
SAMPLES = HERE / "samples"
HUB, TILE_MM, SMALL_PX, MOST_COMMON = 3, 48.0, 45.0, 12
"""These tell the kinds of tables apart: a hub's class, a tile's usual length in mm, the length in pixels up to which it
is small, and the highest value of the common sets."""
SLACK = {"recall": 0.02, "precision": 0.02, "exact": 0.02, "wrong": 0.005}
"""How much worse than the baseline a quick figure may be (another processor rounds otherwise) before it is a drop."""


def prediction(name: str, reading: Any) -> dict[str, Any]:
    """A picture's reading in the form `companion read --json` prints and the score reads."""
    tiles = [
        {
            "quad": np.asarray(tile.quad_px, float).tolist(),
            "face": tile.face,
            "values": list(tile.values) if tile.values is not None else None,
        }
        for tile in reading.tiles
    ]
    return {"image": name, "ms": reading.ms, "tiles": tiles}


def label_of(name: str, group: str, meta: dict[str, Any], readable_px: float = 20) -> dict[str, Any]:
    """A rendered table's exact labels in the photographs' form.

    A tile must be read when both halves are visible, at least `readable_px` large and of a contrast that a careful eye
    can read (`models/crops.py`); one that is mostly hidden, burnt out or leaves the picture is listed without values,
    so that finding it neither helps nor hurts. Values claimed of burnt-out halves are counted apart (`illegible`).
    """
    tiles = []
    for thing in meta["objects"]:
        if thing["cls"] > 1 or thing["vis"] < 0.12:
            continue
        quad = thing["quad"]
        side = (scoring.area(scoring.hull(quad)) / 2) ** 0.5
        plain = min(thing["half_vis"]) >= 0.9 and side >= readable_px and (thing["in_frame"] or 0) >= 0.98
        down = thing["cls"] == 1
        legible = min(thing.get("half_contrast", (255,))) >= LEGIBLE
        if down and plain:
            tiles.append({"quad": quad, "face": "down", "values": None})
        else:
            known = plain and legible and not down
            tiles.append({"quad": quad, "face": "up", "values": thing["values"] if known else None})
            if plain and not legible:
                tiles[-1]["illegible"] = True
    return {"image": name, "group": group, "tiles": tiles, "complete": True}


def figures(row: dict[str, Any]) -> dict[str, Any]:
    """A score's counts as rates between 0 and 1; None where there was nothing to count."""

    def share(part: str, whole: str) -> float | None:
        return round(row[part] / row[whole], 4) if row[whole] else None

    return {
        "photos": row["photos"],
        "tiles": row["truths"],
        "recall": share("found", "truths"),
        "precision": share("hits", "counted"),
        "exact": share("exact", "readable"),
        "claimed": share("claims", "found"),
        "wrong": share("wrong", "claims"),
        "ends": share("ends_right", "ended"),
        "perfect": f"{row['perfect']}/{row['complete']}",
    }


def scored(predictions: list[dict[str, Any]], labels: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    rows, _, _ = scoring.score_all(predictions, labels)
    return {name: figures(row) for name, row in rows.items()}


def photographs(folder: Path, eye: Any) -> dict[str, Any]:
    """Every labelled photograph read by the product's own front door: by group, all, and by view."""
    from vision.pictures import open_picture

    labels = scoring.read_lines(folder / "labels.jsonl")
    predictions = [prediction(label["image"], eye.look(open_picture(folder / label["image"]))) for label in labels]
    by_view = scored(predictions, [label | {"group": f"view: {label['view']}"} for label in labels])
    del by_view["all"]
    return scored(predictions, labels) | by_view | {"totals": totals(predictions, labels)}


def rendered(folder: Path, eye: Any, most: int | None = None) -> dict[str, Any]:
    """Rendered tables with the product's front door; also halves and calibration on the true outlines.

    Pictures of dominoes on a cloth or a board are found as dominoes; the figures without them stand apart.
    """
    import cv2

    predictions, labels, p, true, times = [], [], [], [], []
    things, unprinted, kinds = Tally(), [], []
    for path in sorted((folder / "images").glob("*.jpg"))[:most]:
        meta = json.loads((folder / "meta" / f"{path.stem}.json").read_text(encoding="utf-8"))
        image = cv2.imread(str(path))
        label = label_of(path.name, str(meta.get("set_kind", "tables")), meta)
        labels.append(label)
        kinds.append(kinds_of(meta))
        unprinted.append(not meta.get("printed_dominoes", False))
        reading = eye.look(image)
        times.append(reading.ms)
        predictions.append(prediction(path.name, reading))
        things.add(reading, meta["objects"])
        known = [t for t in label["tiles"] if t["values"]]
        if known:
            scores = eye.reader.scores(image, np.array([t["quad"] for t in known], np.float32))
            p.append(scores.values.reshape(-1, scores.values.shape[-1]))
            true.append(np.array([t["values"] for t in known]).ravel())
    result = scored(predictions, labels)
    bare = [n for n, clean in enumerate(unprinted) if clean]
    if 0 < len(bare) < len(labels):
        result["without_printed_dominoes"] = scored([predictions[n] for n in bare], [labels[n] for n in bare])["all"]
    result["kinds"] = {
        name: scored(
            [one for one, names in zip(predictions, kinds, strict=True) if name in names],
            [one for one, names in zip(labels, kinds, strict=True) if name in names],
        )["all"]
        for name in sorted(set().union(*kinds))
    }
    if p:
        probabilities, values = np.concatenate(p), np.concatenate(true)
        result["halves"] = {
            "count": len(values),
            "right": round(float((probabilities.argmax(1) == values).mean()), 4),
            "ece": round(expected_error(probabilities, values), 4),
        }
    result["totals"] = totals(predictions, labels)
    result["illegible"] = claims_on_illegible(predictions, labels)
    result["things"] = things.figures()
    result["ms"] = round(statistics.median(times), 1) if times else None
    return result


def kinds_of(meta: dict[str, Any]) -> set[str]:
    """The kinds of a rendered table, each of which makes it easy or hard; a table is of several."""
    hub = any(thing["cls"] == HUB for thing in meta["objects"])
    kinds = {
        f"scene {meta['scene']}" + ("" if meta["scene"] != "train" else " with a hub" if hub else " without a hub")
    }
    kinds.add(next(view for view, most in VIEWS.items() if meta["tilt_deg"] < most))
    kinds.add("small tiles" if TILE_MM * meta["px_per_mm"] < SMALL_PX else "large tiles")
    if meta["nmax"] > MOST_COMMON:
        kinds.add("values over 12")
    return kinds


def claims_on_illegible(predictions: list[dict[str, Any]], labels: list[dict[str, Any]]) -> dict[str, int]:
    """How many tiles show nothing that could be read, and of how many of these both values were claimed even so."""
    count = claimed = 0
    for prediction_, label in zip(predictions, labels, strict=True):
        for tile in label["tiles"]:
            if tile.get("illegible"):
                count += 1
                near = [t for t in prediction_["tiles"] if scoring.iou(tile["quad"], t["quad"]) >= 0.5]
                claimed += any(t["values"] is not None for t in near)
    return {"tiles": count, "claimed": claimed}


def drops(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """The figures that got worse, one line each."""
    worse = []
    for key, slack in SLACK.items():
        old, new = before.get(key), now.get(key)
        if old is None:
            continue
        lost = (new or 0) - old if key == "wrong" else old - (new or 0)
        if new is None or lost > slack:
            worse.append(f"{key}: {new}, was {old}")
    return worse


def open_eye() -> Any:
    from vision.eye import open_eye as opened

    for name in ("tiles", "pips", "markers"):
        shipped_weights(name)
    return opened()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photographs", type=folder_with(LABELLED), help="folder of labels.jsonl and its pictures")
    parser.add_argument(
        "--rendered", type=folder_with(RENDERED), help="folder of rendered tables nothing was trained on"
    )
    parser.add_argument("--traced", type=folder_with(RENDERED), help="folder of traced tables nothing was trained on")
    parser.add_argument("--most", type=int, help="look at no more than this many rendered tables")
    parser.add_argument("--quick", action="store_true", help="the committed samples only, compared with the baseline")
    options = parser.parse_args()
    before = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.is_file() else {}
    eye = open_eye()
    quick = rendered(SAMPLES, eye)["all"]
    if options.quick:
        worse = drops(quick, before.get("quick", {}))
        print(json.dumps(quick))
        for line in worse:
            print(f"worse than models/baseline.json: {line}", file=sys.stderr)
        return 1 if worse else 0
    now = before | {"quick": quick}
    if options.photographs:
        now["photographs"] = photographs(options.photographs, eye)
        print(json.dumps(now["photographs"], indent=1))
    for name, folder in (("rendered", options.rendered), ("traced", options.traced)):
        if folder:
            now[name] = rendered(folder, eye, options.most)
            print(json.dumps(now[name], indent=1))
    BASELINE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
