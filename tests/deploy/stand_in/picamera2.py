"""A stand-in for picamera2: a Raspberry Pi's camera over a table with four printed markers. For tests only."""

import contextlib

import cv2
import numpy as np

FULL_WH = (1400, 1000)
CORNERS = ((100, 100), (1220, 100), (1220, 820), (100, 820))


def _picture(noise):
    image = noise.normal(110, 12, (FULL_WH[1], FULL_WH[0], 3)).clip(0, 255).astype(np.uint8)
    kind = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    for number, (x, y) in enumerate(CORNERS):
        image[y - 12 : y + 92, x - 12 : x + 92] = 235
        image[y : y + 80, x : x + 80] = np.maximum(cv2.aruco.generateImageMarker(kind, number, 80), 20)[:, :, None]
    return image


class _Request:
    def __init__(self, noise, small_wh):
        self._noise, self._small_wh = noise, small_wh

    def make_array(self, name):
        image = _picture(self._noise)
        if name == "main":
            return image
        return cv2.cvtColor(cv2.resize(image, self._small_wh), cv2.COLOR_BGR2YUV_I420)

    def get_metadata(self):
        return {"ExposureTime": 9900, "AnalogueGain": 1.5, "ColourGains": (1.6, 1.9)}


class Picamera2:
    sensor_resolution = FULL_WH
    camera_controls = dict.fromkeys(("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains"))

    def __init__(self):
        self._noise, self._small_wh = np.random.default_rng(), (640, 480)

    @staticmethod
    def global_camera_info():
        return [{"Model": "stand-in"}]

    def create_still_configuration(self, main, lores, buffer_count):
        return {"main": main, "lores": lores, "buffer_count": buffer_count}

    def configure(self, configuration):
        self._small_wh = configuration["lores"]["size"]

    def start(self):
        pass

    def stop(self):
        pass

    def close(self):
        pass

    def set_controls(self, controls):
        pass

    def captured_request(self, flush=None):
        return contextlib.nullcontext(_Request(self._noise, self._small_wh))
