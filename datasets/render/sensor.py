"""The camera's answer to light: exposure, optics, noise, tone curve, sharpening."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.noise import grain

F = np.float32
Image = NDArray[np.float32]


def develop(
    image: Image,
    rng: np.random.Generator,
    *,
    noise_rng: np.random.Generator | None = None,
    calm: bool = False,
    metered: Image | None = None,
) -> tuple[NDArray[np.uint8], int]:
    """Linear RGB to BGR uint8 and a JPEG quality.

    `calm` is a well set-up fixed camera: correct exposure, sharp, little noise. `noise_rng` draws the noise alone, so
    that frames of one camera differ only in their noise. `metered` is the picture the exposure was set on (the empty
    table of a camera with locked exposure), by default the picture itself.
    """
    gain = _exposure(image if metered is None else metered, rng, calm)
    image = _vignette(image, rng)
    image = image * gain
    np.minimum(image, F(3.0), out=image)
    image = _optics(image, rng, calm)
    image = _noise(image, rng, noise_rng or rng, calm)
    out = _tone(image, rng, calm)
    return _finish(out, rng, calm), int(rng.integers(85, 96) if calm else rng.integers(55, 96))


def _exposure(image: Image, rng: np.random.Generator, calm: bool) -> NDArray[np.float32]:
    balance = np.array([1 + rng.normal(0, 0.07), 1, 1 + rng.normal(0, 0.08)], F)
    small = cv2.resize(image, (80, 60), interpolation=cv2.INTER_AREA) @ np.array([0.25, 0.65, 0.1], F)
    mean, high = float(small.mean()), float(np.percentile(small, 97))
    want_mean, want_high = rng.uniform(0.12, 0.34), rng.uniform(0.6, 1.35)
    error = rng.normal(0, 0.15)
    chance = rng.random()
    over, under = rng.uniform(1.3, 2.0), rng.uniform(0.12, 0.5)
    if calm:  # set on the brightest thing, as a person does who locks the exposure
        return balance * F(0.82 / max(high, 1e-4))
    log_gain = 0.55 * math.log(want_mean / max(mean, 1e-4)) + 0.45 * math.log(want_high / max(high, 1e-4)) + error
    factor = over if chance < 0.08 else under if chance > 0.93 else 1.0
    return balance * F(math.exp(log_gain) * factor)


def _vignette(image: Image, rng: np.random.Generator) -> Image:
    strength = rng.uniform(0, 0.35) if rng.random() < 0.7 else 0.0
    if not strength:
        return image
    h, w = image.shape[:2]
    x, y = np.arange(w, dtype=F) / w - 0.5, np.arange(h, dtype=F) / h - 0.5
    fall = (1 - F(strength) * (x[None] ** 2 + y[:, None] ** 2) * 2).astype(F)
    return cv2.multiply(image, cv2.merge([fall, fall, fall]))


def _optics(image: Image, rng: np.random.Generator, calm: bool) -> Image:
    h, w = image.shape[:2]
    chance = rng.random()
    sigma = rng.uniform(0.25, 0.8) if chance < 0.7 or calm else rng.uniform(0.8, 2.0)
    if chance > 0.985 and not calm:
        sigma = rng.uniform(2, 3.2)
    if sigma > 0.3:
        image = cv2.GaussianBlur(image, (0, 0), sigma)
    if rng.random() < 0.2:  # lateral chromatic aberration
        error = rng.normal(0, 0.0009)
        for channel, sign in ((0, 1), (2, -1)):
            z = 1 + sign * error
            m = np.array([[z, 0, (1 - z) * w / 2], [0, z, (1 - z) * h / 2]], F)
            plane = np.ascontiguousarray(image[..., channel])
            image[..., channel] = cv2.warpAffine(plane, m, (w, h), borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < 0.1 and not calm:  # a moving hand-held camera
        k = int(rng.integers(3, 10))
        kernel = np.zeros((k, k), F)
        a, c = rng.uniform(0, math.pi), (k - 1) / 2
        ends = [(round(c + s * c * math.cos(a)), round(c + s * c * math.sin(a))) for s in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0, 1)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    if rng.random() < 0.35:  # veiling glare
        bright = np.maximum(cv2.resize(image, (w // 8, h // 8), interpolation=cv2.INTER_AREA) - 0.9, 0)
        bright = cv2.GaussianBlur(bright, (0, 0), max(w / 8 * 0.03, 0.5))
        image = image + cv2.resize(bright, (w, h), interpolation=cv2.INTER_LINEAR) * F(rng.uniform(0.05, 0.3))
    return image


def _noise(image: Image, rng: np.random.Generator, noise_rng: np.random.Generator, calm: bool) -> Image:
    iso = math.exp(rng.uniform(math.log(0.0008), math.log(0.004 if calm else 0.02)))
    reduced = rng.uniform(0, 0.9)
    noise = grain(noise_rng, *image.shape[:2])
    if reduced > 0.45:  # the camera's own noise reduction: weaker and correlated
        noise = cv2.GaussianBlur(noise, (0, 0), reduced) * F(1.2)
    shot = np.maximum(image, 0)
    shot *= F(iso * iso * 9)
    np.sqrt(shot, out=shot)
    shot *= F(0.35)
    shot += F(iso * 0.35)
    shot *= noise
    shot += image
    return shot


def _tone(image: Image, rng: np.random.Generator, calm: bool) -> NDArray[np.uint8]:
    x = np.linspace(0, 2.0, 16384)
    knee = rng.uniform(0.75, 1.0)
    y = np.minimum(x, 1)
    if knee < 0.99:
        y = np.where(x < knee, x, knee + (1 - knee) * (1 - np.exp(-(x - knee) / (1 - knee))))
    y = np.where(y <= 0.0031308, y * 12.92, 1.055 * np.maximum(y, 1e-9) ** (1 / 2.4) - 0.055)
    contrast = rng.uniform(-0.12, 0.3)
    y = y + contrast * (y - 0.5) * (1 - np.abs(2 * y - 1)) * 0.9
    haze = max(0.0, rng.normal(0, 0.02))
    y = y * (1 - haze) + haze
    table = np.clip(y * 255 + 0.5, 0, 255).astype(np.uint8)
    steps = image * F(16383 / 2.0)
    np.clip(steps, 0, 16383, out=steps)
    out = table[steps.astype(np.uint16)]
    saturation = rng.uniform(0.9, 1.15) if calm else rng.uniform(0.75, 1.35)
    if rng.random() < 0.015 and not calm:
        saturation = rng.uniform(0, 0.3)  # a nearly grey picture
    if abs(saturation - 1) > 0.05:
        mix = np.full((3, 3), (1 - saturation) / 3, np.float32)
        mix[:] = (1 - saturation) * np.array([0.3, 0.59, 0.11], F)
        out = cv2.transform(out, mix + np.eye(3, dtype=F) * F(saturation))
    return np.ascontiguousarray(out[..., ::-1])


def _finish(image: NDArray[np.uint8], rng: np.random.Generator, calm: bool) -> NDArray[np.uint8]:
    if rng.random() < 0.5:
        amount = rng.uniform(0.2, 0.5 if calm else 1.1)
        soft = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.7, 1.6))
        image = cv2.addWeighted(image, 1 + amount, soft, -amount, 0)
    return image
