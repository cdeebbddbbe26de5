#!/usr/bin/env bash
# clang-format on the C++ files that differ from a commit (default HEAD); --all takes every file, --check only looks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Those that git knows, of a tree that somebody else may own; of one that came without git, all.
files() {
  git -c safe.directory='*' ls-files '*.hpp' '*.cpp' 2>/dev/null || find cmd lib tests -name '*.hpp' -o -name '*.cpp'
}

format=$(command -v clang-format-14 || true)  # another version lays lines out otherwise
[ -n "$format" ] || { echo "format.sh: needs clang-format-14: apt-get install clang-format-14" >&2; exit 2; }
if [ "${1:-}" = --check ]; then
  mapfile -t files < <(files)
  "$format" --dry-run --Werror "${files[@]}" || { echo "format.sh: run scripts/format.sh --all" >&2; exit 1; }
  echo "${#files[@]} files are formatted"
  exit
fi
if [ "${1:-}" = --all ]; then
  mapfile -t files < <(files)
else
  mapfile -t files < <({ git diff --name-only --diff-filter=d "${1:-HEAD}" -- '*.hpp' '*.cpp'
                         git ls-files --others --exclude-standard -- '*.hpp' '*.cpp'; } | sort -u)
fi
[ ${#files[@]} -eq 0 ] || "$format" -i "${files[@]}"
