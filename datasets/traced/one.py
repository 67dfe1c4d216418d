"""`python -m datasets.traced.one TABLE LIGHT`: traces a pickled `Table`, saves its linear light (h, w, 3) as `.npy`."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np

from datasets.traced.cycles import trace

if __name__ == "__main__":
    light, _owners = trace(pickle.loads(Path(sys.argv[1]).read_bytes()), threads=2)
    np.save(sys.argv[2], light)
