# Shared by the scripts of this folder: installs what is missing, finds cmake and python, builds.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LC_ALL=C.UTF-8

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 2; }

# Those of packages.txt, and of the names given, that dpkg does not have.
missing_packages() {
  local package
  { sed 's/#.*//' "$root/scripts/packages.txt"; echo "$*"; } | xargs -n1 | while read -r package; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

# Beside those of packages.txt the names given, which one script alone needs.
install_packages() {
  command -v dpkg-query >/dev/null || { say "no dpkg here: assuming that scripts/packages.txt is installed by other means"; return; }
  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "needs ${missing[*]}: run as root, or install sudo, or ask for: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  local log=$root/build/apt.log
  mkdir -p "$root/build"
  say "installing ${#missing[@]} packages and what they need, about a minute (what apt says: ${log#"$root"/})"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update </dev/null >"$log" 2>&1 || say "apt-get update failed: trying with the package lists that are here"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >>"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; die "apt-get could not install ${missing[*]}; all that it said is in $log"; }
}

# The first cmake that is 3.25 or later; Debian's own before others.
find_cmake() {
  local candidate version
  for candidate in /usr/bin/cmake "$(command -v cmake || true)"; do
    [ -x "$candidate" ] || continue
    version=$("$candidate" --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
    if [ -n "$version" ] && [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ]; then
      echo "$candidate"
      return
    fi
  done
  die "needs cmake 3.25 or later, as Debian 12 and Ubuntu 24.04 have it: apt-get install cmake"
}

# The first python3 with the modules that the scripts import.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3 python3.11 python3.12 python3.13 python3.10; do
    if "$candidate" -c 'import numpy, h5py, matplotlib, mpmath' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  die "no python3 has numpy, h5py, matplotlib and mpmath: apt-get install python3-numpy python3-h5py python3-matplotlib python3-mpmath"
}

# build PRESET [TARGET …]: sets $build_dir (or takes $PE_BUILD) and builds there with all cores, with the options of CMake in $with. On a terminal
# ninja's own counter runs along; all that the build says is in the log, and shown when it fails.
with=()
build() {
  local preset=$1 log known= fresh=()
  shift
  build_dir=${PE_BUILD:-$root/build/$preset}
  mkdir -p "$build_dir"
  log=$build_dir/scripts.log
  [ -e "$build_dir/build.ninja" ] || known=", about 8 processor minutes the first time, on $(nproc) here" fresh=(-DPE_BATCHES=ON)
  fresh+=("${with[@]}")
  say "building in ${build_dir#"$root"/}$known (what it says: ${log#"$root"/})"
  configure_and_build "$preset" "$log" "${fresh[@]}" -- "$@" && return
  if grep -q '^FAILED: .*/batches/' "$log"; then
    say "compiled several at a time the files do not go together; each alone tells whether one is at fault"
    configure_and_build "$preset" "$log" -DPE_BATCHES=OFF -- "$@" && return
  fi
  cat "$log" >&2
  die "the build failed; what it said stands above and in $log"
}

# configure_and_build PRESET LOG [OPTION …] -- [TARGET …]
configure_and_build() {
  local preset=$1 log=$2 options=()
  shift 2
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  (cd "$root" && "$cmake" --preset "$preset" -B "$build_dir" "${options[@]}") </dev/null >"$log" 2>&1 && ninja_in "$log" "$@"
}

# ninja_in LOG [TARGET …]: builds; the log has everything, and a terminal ninja's counter, one line that rewrites itself.
ninja_in() {
  local log=$1
  shift
  if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then
    (cd "$root" && NINJA_STATUS='[%f/%t, %es] ' "$cmake" --build "$build_dir" --parallel "$(nproc)" "$@") </dev/null 2>&1 |
      tee -a "$log" | counter >&2
  else
    (cd "$root" && "$cmake" --build "$build_dir" --parallel "$(nproc)" "$@") </dev/null >>"$log" 2>&1
  fi
}

# Lines that begin as ninja's status does, each over the one before; nothing is left of them.
counter() {
  local line columns
  columns=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2)
  [ "${columns:-0}" -gt 1 ] || columns=80
  while IFS= read -r line; do
    case $line in "["[0-9]*) printf '\r%s\033[K' "${line:0:columns-1}" ;; esac
  done
  printf '\r\033[K'
}

# prepare PRESET [TARGET …]: everything before the first tool can run.
prepare() {
  install_packages
  cmake=$(find_cmake)
  # shellcheck disable=SC2034  # used by the scripts that prepare
  python=$(find_python)
  build "$@"
}
