"""Pictures of arms over a table of four seats, and the tiles that lie there."""

import math

import cv2
import numpy as np

from companion.geometry import PlacedTile
from companion.geometry.layout import SeenHalf, SeenTile
from companion.perception.arm_votes import Reaches, body_mm
from vision.arm_view import Arm
from vision.calibration import Calibration
from vision.frame import Frame

SIZE_MM, SCALE = (1200.0, 900.0), 0.5
W, H = 630, 480
CORNERS = [(15, 15), (615, 15), (615, 465), (15, 465)]
CALIBRATION = Calibration.from_corners(CORNERS, SIZE_MM, 0.001, None, (W, H))
SEATS = {"Ann": 90.0, "Ben": 180.0, "Cy": -90.0, "Dee": 0.0}
PLACE = (600.0, 500.0)
YARD = (1000.0, 700.0)


def px(place):
    return tuple(round(v * SCALE + 15) for v in place)


def picture(*, arms=(), tiles=(), n=0, tile_colour=(228, 228, 228)):
    """Arms are (shoulder, tip); tiles middles."""
    image = np.full((H, W, 3), (60, 110, 70), np.uint8)
    for x, y in tiles:
        cv2.rectangle(image, px((x - 24, y - 12)), px((x + 24, y + 12)), tile_colour, -1)
    for shoulder, tip in arms:
        cv2.line(image, px(shoulder), px(tip), (140, 170, 215), 40)
    return Frame(image, float(n), f"f{n}")


def arm_of(name, tip=PLACE, hand=170.0):
    """An arm from this seat."""
    bx, by = body_mm(SEATS[name], SIZE_MM)
    ux, uy = math.cos(math.radians(SEATS[name])), math.sin(math.radians(SEATS[name]))
    return (bx + hand * uy, by - hand * ux), tip


def film(*frames):
    reaches = Reaches()
    still = picture()
    reaches.see(still, CALIBRATION)
    reaches.still(still)
    for n, frame in enumerate(frames, 1):
        reaches.see(picture(**frame, n=n), CALIBRATION)
    return reaches


def best(decibans):
    return min(decibans, key=lambda name: decibans[name])


def placed(number, place, values=None):
    halves = None if values is None else (SeenHalf(values[0], 0.99), SeenHalf(values[1], 0.99))
    return PlacedTile(number, SeenTile(place, 0.0, 48.0, 24.0, values is not None, halves, 0.9))


def inside(place):
    return 0 < place[0] < SIZE_MM[0] and 0 < place[1] < SIZE_MM[1]


def seen_arm(name, tip=PLACE, reach=400.0, clear=True):
    (sx, sy), (tx, ty) = arm_of(name, tip)
    axis = math.degrees(math.atan2(sy - ty, sx - tx))
    share = next(s for s in np.linspace(0, 1, 500) if not inside((tx + (sx - tx) * s, ty + (sy - ty) * s)))
    entry = (tx + (sx - tx) * share, ty + (sy - ty) * share)
    return Arm(entry, 90.0, axis, tip, reach, 30000.0, clear)
