#!/usr/bin/env bash
# Unpacks the source that scripts/package made in the folder given, builds it where there is no git, and runs its tools. Takes a whole build, so
# scripts/test does not run it.
#   usage: tests/package/tarball.sh FOLDER
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

[ $# -eq 1 ] || die "usage: tests/package/tarball.sh FOLDER"
packed=("$1"/pe-[0-9]*.tar.gz)
[ -e "${packed[0]}" ] && [ ${#packed[@]} -eq 1 ] || die "'$1' does not hold one pe-VERSION.tar.gz: scripts/package source makes it"
cmake=$(find_cmake)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tar -xzf "${packed[0]}" -C "$scratch"
name=$(basename "${packed[0]}" .tar.gz)
cd "$scratch/$name"
"$cmake" --preset release -DPE_BATCHES=ON -DPE_BUILD_TESTS=OFF >"$scratch/log" 2>&1 && "$cmake" --build build/release >>"$scratch/log" 2>&1 </dev/null ||
  { tail -n 40 "$scratch/log" >&2; die "the source does not build"; }
said=$(build/release/cmd/pe-gen --version)
grep -qF "$(cat COMMIT)" <<<"$said" || die "the tools do not name the commit $(cat COMMIT): $said"
[ "$(build/release/cmd/pe-gen index --length 2 | tail -n 1)" = 1,1 ] || die "pe-gen does not run"
build/release/cmd/pe-gen rope --model llama-3.1-8b --length 64 -o table.npz
build/release/cmd/pe-verify check rope --model llama-3.1-8b --length 64 --file table.npz | head -n 1
"$cmake" --install build/release --prefix "$scratch/prefix" >>"$scratch/log"
"$scratch/prefix/bin/pe-analyze" decay rope --length 4 | tail -n 1
echo "1 passed, 0 failed"
