# The package from the source tree, and a cache of cosines and sines to check it with.
import os
import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "PE_WHEEL" not in os.environ:
    sys.path.insert(0, str(ROOT / "scripts/python"))

pytest_plugins = ["pytester"]


@pytest.fixture
def cache():
    """cos and sin [64, 16] of rope with dim 32 and base 10000, by NumPy in float64, as float32."""
    angle = np.outer(np.arange(64.0), 10000.0 ** (-np.arange(16) / 16))
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
