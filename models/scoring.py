"""Score tile readings against labels: the measure that belongs to the labelled photographs, unchanged.

    python3 -m models.scoring predictions.jsonl labels.jsonl [--images DIR] [--each]

`predictions.jsonl` is what `companion read --json` prints, `labels.jsonl` has the format that README.md describes.
A prediction belongs to the label whose `image` is the end of its own path (with --images: the path under DIR).

A predicted tile finds a true one when their outlines overlap with IoU >= 0.5; where the label has only a centre, when
that centre lies inside the predicted outline (and no second such centre does: one blob over two tiles finds neither).
Each true tile is found at most once, so a second box on it is a false positive. In a picture with `field_poly`, what
lies outside the field is ignored on both sides. A true tile that is face up and has no values (cut off, unreadable) is
ignored: finding it neither helps nor hurts. Values are compared as a pair without order.

recall      found / true tiles            precision  found / predicted tiles (complete pictures only)
exact       true readable tiles found with the right values / all true readable tiles
wrong       claimed values that are not true / claimed values, over found tiles (a value on a face-down tile is wrong)
perfect     complete pictures with every tile found, every value and face right and nothing added
ends        of the right non-doubles with a labelled outline: those whose first value is at the right end
"""

import argparse
import json
import math
import statistics
import sys
from pathlib import Path

IOU_NEEDED = 0.5
TOTALS = (
    "photos",
    "truths",
    "found",
    "counted",
    "hits",
    "readable",
    "exact",
    "claims",
    "wrong",
    "complete",
    "perfect",
    "ended",
    "ends_right",
)


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def hull(points):
    """The convex outline of the points, in one fixed turning direction."""
    points = sorted({(float(x), float(y)) for x, y in points})
    if len(points) < 3:
        return points

    def half(ordered):
        chain = []
        for p in ordered:
            while len(chain) >= 2 and cross(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(reversed(points))


def area(polygon):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True))) / 2


def overlap(subject, clip):
    """Area shared by two convex outlines as hull() gives them."""
    for a, b in zip(clip, clip[1:] + clip[:1], strict=True):
        kept = []
        for p, q in zip(subject, subject[1:] + subject[:1], strict=True):
            side_p, side_q = cross(a, b, p), cross(a, b, q)
            if side_p >= 0:
                kept.append(p)
            if side_p * side_q < 0:
                t = side_p / (side_p - side_q)
                kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
        subject = kept
        if len(subject) < 3:
            return 0.0
    return area(subject)


def iou(a, b):
    shared = overlap(a, b)
    union = area(a) + area(b) - shared
    return shared / union if union > 0 else 0.0


def inside(point, polygon):
    """Is the point in the polygon (any simple one)?"""
    x, y = point
    odd = False
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            odd = not odd
    return odd


def is_outline(quad):
    def is_point(p):
        return (
            isinstance(p, (list, tuple))
            and len(p) == 2
            and all(isinstance(v, (int, float)) and math.isfinite(v) for v in p)
        )

    return isinstance(quad, (list, tuple)) and len(quad) == 4 and all(is_point(p) for p in quad)


def centre(tile):
    quad = tile.get("quad")
    if quad:
        return [sum(p[0] for p in quad) / len(quad), sum(p[1] for p in quad) / len(quad)]
    return tile["center"]


def matches(truths, guesses):
    """Pairs (truth index, guess index), best first, each index used once."""
    outlines = [hull(t["quad"]) if t.get("quad") else None for t in truths]
    guessed = [hull(g["quad"]) for g in guesses]
    candidates = []
    for j, outline in enumerate(guessed):
        if len(outline) < 3:
            continue
        covered = [i for i, t in enumerate(truths) if not outlines[i] and inside(t["center"], outline)]
        if len(covered) == 1:
            i = covered[0]
            apart = math.dist(centre(guesses[j]), truths[i]["center"]) / math.sqrt(area(outline))
            candidates.append((1 - min(apart, 1) / 2, i, j))
        for i, true_outline in enumerate(outlines):
            if true_outline and len(true_outline) >= 3:
                share = iou(true_outline, outline)
                if share >= IOU_NEEDED:
                    candidates.append((share, i, j))
    pairs, used_truths, used_guesses = [], set(), set()
    for _, i, j in sorted(candidates, key=lambda c: (-c[0], c[1], c[2])):
        if i not in used_truths and j not in used_guesses:
            pairs.append((i, j))
            used_truths.add(i)
            used_guesses.add(j)
    return pairs


def same_end_first(truth, guess):
    """Does the guess put the value at the end where the label has it?"""

    def end(quad):
        return [(quad[0][0] + quad[1][0]) / 2, (quad[0][1] + quad[1][1]) / 2]

    first, last = end(truth["quad"]), end(truth["quad"][2:] + truth["quad"][:2])
    near_first = math.dist(end(guess["quad"]), first) <= math.dist(end(guess["quad"]), last)
    return list(guess["values"]) == (truth["values"] if near_first else truth["values"][::-1])


def score_picture(label, guesses):
    """Counts for one picture; `guesses` are the predicted tiles, None when there is no prediction (never perfect)."""
    field = label.get("field_poly")
    truths = [t for t in label["tiles"] if not field or inside(centre(t), field)]
    answered = guesses is not None
    guesses = [g for g in guesses or [] if is_outline(g.get("quad")) and (not field or inside(centre(g), field))]
    got = dict.fromkeys(TOTALS, 0)
    got["photos"] = 1
    clean = answered
    counts_for_recall = [t for t in truths if t["face"] == "down" or t["values"]]
    pairs = matches(truths, guesses)
    guess_of = dict(pairs)
    got["truths"] = len(counts_for_recall)
    got["readable"] = sum(bool(t["values"]) for t in truths)
    for i, truth in enumerate(truths):
        ignored = truth["face"] == "up" and not truth["values"]
        if i not in guess_of:
            clean = clean and ignored
            continue
        if ignored:
            continue
        guess = guesses[guess_of[i]]
        claimed = guess.get("values")
        if not (isinstance(claimed, (list, tuple)) and len(claimed) == 2 and all(type(v) is int for v in claimed)):
            claimed = None
        got["found"] += 1
        right = bool(claimed) and bool(truth["values"]) and sorted(claimed) == sorted(truth["values"])
        if claimed:
            got["claims"] += 1
            got["wrong"] += not right
        if truth["face"] == "down":
            clean = clean and not claimed and guess.get("face") == "down"
        else:
            got["exact"] += right
            clean = clean and right
        if right and truth.get("quad") and truth["values"][0] != truth["values"][1]:
            got["ended"] += 1
            got["ends_right"] += same_end_first(truth, guess)
    if label.get("complete", True):
        ignored_hits = sum(truths[i]["face"] == "up" and not truths[i]["values"] for i, _ in pairs)
        got["counted"] = len(guesses) - ignored_hits
        got["hits"] = len(pairs) - ignored_hits
        got["complete"] = 1
        got["perfect"] = int(clean and got["counted"] == got["hits"])
    return got


def read_lines(path):
    with Path(path).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def by_label(predictions, labels, images=None):
    """{label image: prediction}; a prediction that belongs to no label is left out."""
    names = {label["image"] for label in labels}
    found = {}
    for prediction in predictions:
        parts = str(prediction.get("image", "")).replace("\\", "/").split("/")
        if images:
            root = [p for p in str(images).replace("\\", "/").split("/") if p]
            clean = [p for p in parts if p]
            if clean[: len(root)] == root:
                parts = clean[len(root) :]
        for start in range(len(parts)):
            name = "/".join(parts[start:])
            if name in names:
                found[name] = prediction
                break
    return found


def score_all(predictions, labels, images=None):
    """(rows, missing, each): totals by group and "all", labels without a prediction, and (label, counts) pairs."""
    found = by_label(predictions, labels, images)
    rows, each, missing, times = {}, [], [], {}
    for label in labels:
        prediction = found.get(label["image"])
        if prediction is None:
            missing.append(label["image"])
        counts = score_picture(label, (prediction or {}).get("tiles"))
        each.append((label, counts))
        for name in (label.get("group", "photos"), "all"):
            row = rows.setdefault(name, dict.fromkeys(TOTALS, 0))
            for key in TOTALS:
                row[key] += counts[key]
            if prediction and isinstance(prediction.get("ms"), (int, float)):
                times.setdefault(name, []).append(prediction["ms"])
    for name, row in rows.items():
        row["ms"] = statistics.median(times[name]) if times.get(name) else None
    if "all" in rows:
        rows["all"] = rows.pop("all")
    return rows, missing, each


def percent(part, whole):
    return 100.0 * part / whole if whole else None


def shown(part, whole, digits=1):
    value = percent(part, whole)
    return "-" if value is None else f"{value:.{digits}f}"


def table(rows):
    out = [
        f"{'group':<16}{'photos':>7}{'tiles':>7}{'recall':>8}{'prec.':>7}{'exact':>7}{'of':>5}{'wrong':>7}{'of':>5}"
        f"{'ends':>7}{'perfect':>9}{'ms':>8}"
    ]
    for name, r in rows.items():
        out.append(
            f"{name:<16}{r['photos']:>7}{r['truths']:>7}{shown(r['found'], r['truths']):>8}"
            f"{shown(r['hits'], r['counted']):>7}{shown(r['exact'], r['readable']):>7}{r['readable']:>5}"
            f"{shown(r['wrong'], r['claims'], 2):>7}{r['claims']:>5}{shown(r['ends_right'], r['ended']):>7}"
            f"{str(r['perfect']) + '/' + str(r['complete']):>9}"
            f"{'-' if r['ms'] is None else format(r['ms'], '.0f'):>8}"
        )
    return "\n".join(out)


def last_line(row):
    return (
        f"exact {shown(row['exact'], row['readable'], 2)} % of {row['readable']} tiles, "
        f"wrong {shown(row['wrong'], row['claims'], 2)} %, precision {shown(row['hits'], row['counted'], 2)} %, "
        f"perfect photos {row['perfect']}/{row['complete']}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions")
    parser.add_argument("labels")
    parser.add_argument("--images", help="the folder under which the predicted paths lie")
    parser.add_argument("--each", action="store_true", help="one line a picture that is not perfect")
    options = parser.parse_args()
    labels = read_lines(options.labels)
    rows, missing, each = score_all(read_lines(options.predictions), labels, options.images)
    if not rows:
        print(f"{options.labels}: no labels", file=sys.stderr)
        return 1
    if options.each:
        for label, c in each:
            if c["complete"] and not c["perfect"]:
                print(
                    f"{label['image']}: found {c['found']}/{c['truths']}, exact {c['exact']}/{c['readable']}, "
                    f"wrong {c['wrong']}, added {c['counted'] - c['hits']}"
                )
    print(table(rows))
    if missing:
        print(
            f"{len(missing)} of {len(labels)} labelled pictures have no prediction (counted as nothing found): "
            + ", ".join(missing[:5])
            + (" ..." if len(missing) > 5 else "")
        )
    print(last_line(rows["all"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
