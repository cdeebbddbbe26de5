#!/usr/bin/env python3
# What `cmake --install` puts in place: it works where it lies, the pages render, shells complete by it, and packages hold it.
import argparse
import pathlib
import sys
import tempfile
import traceback

import archives
import deb
import install
import manual
import services
import shells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path, help="a finished build folder")
    build = parser.parse_args().build.resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        place = install.Installed(build, pathlib.Path(scratch))
        for module in (install, manual, shells, deb, services, archives):
            for check in module.CHECKS:
                try:
                    check(place)
                    passed += 1
                except Exception:  # noqa: BLE001: whatever it is, the others are run all the same
                    failed += 1
                    print(f"{module.__name__}.{check.__name__}:")
                    traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
