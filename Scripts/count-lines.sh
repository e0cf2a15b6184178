#!/usr/bin/env bash
# Prints the lines of Swift and C code of each target, without blank lines and comments. count-lines.sh [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."
commit=${1:-HEAD}
git ls-tree -r --name-only "$commit" Sources Emulators Plugins \
  | grep -E '\.(swift|c|h)$' \
  | while read -r file; do
    target=$(sed -E 's#^(Sources/CLibraries|Sources|Emulators|Plugins)/([^/]+)/.*#\2#' <<<"$file")
    printf '%s %s\n' "$(git show "$commit:$file" | grep -cvE '^[[:space:]]*($|//|/\*|\*)')" "$target"
  done \
  | awk '{ lines[$2] += $1 } END { for (target in lines) printf "%6d  %s\n", lines[target], target }' | sort -k2
