#!/usr/bin/env bash
# Installs the build in the folder given into a fresh prefix, and builds and runs tests/consumer against it alone, by CMake and by pkg-config.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

[ $# -eq 1 ] || die "usage: tests/tools/consumer.sh BUILD_FOLDER"
cmake=$(find_cmake)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$1" --prefix "$work/prefix"
"$cmake" -G Ninja -S "$root/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$work/build"
said=$("$work/build/consumer")
echo "$said"
[ "$said" = "ten times 0.1 is exactly 1" ] || die "the consumer said something else"

# The same through pkg-config, from a prefix that was moved.
mv "$work/prefix" "$work/moved"
pc=$(find "$work/moved" -name pe.pc)
export PKG_CONFIG_PATH=${pc%/*}
read -ra flags < <(pkg-config --cflags --libs pe)
"${CXX:-c++}" "$root/tests/consumer/main.cpp" -o "$work/by-pkg-config" "${flags[@]}"
[ "$("$work/by-pkg-config")" = "$said" ] || die "the consumer by pkg-config said something else"
for tool in pe-gen pe-apply pe-verify pe-analyze; do
  if [ -e "$1/cmd/$tool" ]; then "$work/moved/bin/$tool" --version; fi
done
echo "2 passed, 0 failed"
