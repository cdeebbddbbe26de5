# What pyproject.toml cannot say: the version, which CMakeLists.txt states, and the platform of a wheel that holds programs.
import os
import pathlib
import re

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


def version():
    staged = HERE / "VERSION"  # scripts/package writes it
    if staged.exists():
        return staged.read_text().strip()
    return re.search(r"^project\(pe VERSION ([0-9.]+)", (HERE.parents[1] / "CMakeLists.txt").read_text(), re.M)[1]


class Package(Distribution):
    """Of one platform where the tools are inside."""

    def has_ext_modules(self):
        return "PE_WHEEL_PLATFORM" in os.environ


class Wheel(bdist_wheel):
    """For any Python 3, and for the platform PE_WHEEL_PLATFORM where the tools are inside."""

    def get_tag(self):
        return "py3", "none", os.environ.get("PE_WHEEL_PLATFORM", "any")


setup(version=version(), distclass=Package, cmdclass={"bdist_wheel": Wheel})
