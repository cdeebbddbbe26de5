#!/usr/bin/env bash
# Installs the build in the folder given into a fresh prefix, and builds and runs tests/consumer and the examples against it alone: by
# find_package, by pkg-config from a prefix that was moved, and by add_subdirectory.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

[ $# -eq 1 ] || die "usage: tests/tools/consumer.sh BUILD_FOLDER"
cmake=$(find_cmake)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0

# runs_examples HOW FOLDER: the three programs in the folder. The judged cache is wrong, which is exit code 1, and what is said of it
# is what the README shows.
runs_examples() {
  local code=0
  "$2/table" >/dev/null || die "by $1: the loop and the table are not as far apart as float32 brings them"
  "$2/rotate" >/dev/null || die "by $1: scores do not depend on the distance alone"
  "$2/judge" >"$work/said" || code=$?
  [ "$code" -eq 1 ] || die "by $1: judge ended with $code: $(cat "$work/said")"
  diff "$root/tests/consumer/judge.txt" "$work/said" || die "by $1: judge said something else than tests/consumer/judge.txt"
  passed=$((passed + 3))
}

"$cmake" --install "$1" --prefix "$work/prefix"
"$cmake" -G Ninja -S "$root/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$work/build"
said=$("$work/build/consumer")
echo "$said"
[ "$said" = "ten times 0.1 is exactly 1" ] || die "the consumer said something else"
passed=$((passed + 1))
examples=$work/prefix/share/doc/pe/examples
"$cmake" -G Ninja -S "$examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
"$cmake" --build "$work/examples"
runs_examples find_package "$work/examples"

# The same through pkg-config, from a prefix that was moved.
mv "$work/prefix" "$work/moved"
pc=$(find "$work/moved" -name pe.pc)
export PKG_CONFIG_PATH=${pc%/*}
read -ra flags < <(pkg-config --cflags --libs pe)
"${CXX:-c++}" "$root/tests/consumer/main.cpp" -o "$work/by-pkg-config" "${flags[@]}"
[ "$("$work/by-pkg-config")" = "$said" ] || die "the consumer by pkg-config said something else"
passed=$((passed + 1))
mkdir "$work/by"
for example in table rotate judge; do
  "${CXX:-c++}" "$work/moved/share/doc/pe/examples/$example.cpp" -o "$work/by/$example" "${flags[@]}"
done
runs_examples pkg-config "$work/by"

# Inside another project. The library is not compiled a second time: the archive of this build is put where that project's own would be,
# and the programs are compiled and linked by the commands that it has for them.
"$cmake" -G Ninja -S "$root/tests/consumer/inside" -B "$work/inside" -DPE_SOURCE="$root" -DPE_LATE="$(sed -n 's/^PE_LATE:BOOL=//p' "$1/CMakeCache.txt")" \
  -DCMAKE_BUILD_TYPE=Release
mkdir -p "$work/inside/pe/lib"
cp "$1/lib/libpe.a" "$work/inside/pe/lib/"
for example in table rotate judge; do
  (cd "$work/inside" && ninja -t commands "examples/$example" | grep -F "pe_example_$example.dir" | bash -e)
done
runs_examples add_subdirectory "$work/inside/examples"

for tool in pe-gen pe-apply pe-verify pe-analyze; do
  if [ -e "$1/cmd/$tool" ]; then "$work/moved/bin/$tool" --version; fi
done
echo "$passed passed, 0 failed"
