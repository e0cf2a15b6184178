#!/usr/bin/env bash
# The lines of code of each target: of Swift and C, without blank lines and comments. count-lines.sh [COMMIT]
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
