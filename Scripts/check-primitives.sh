#!/usr/bin/env bash
# Code that touches replicas must not unlink, rename or truncate, except in the file with the primitives.
set -euo pipefail
cd "$(dirname "$0")/.."
calls='\b(unlink|unlinkat|rename|renameat|renameat2|renameatx_np|posix_exchange|posix_move|truncate|ftruncate|rmdir)\('
found=$(grep -rnE "$calls" Sources/FileTree Sources/StoreOrgFiles Sources/CloudFolder Sources/CloudICloud Sources/SyncKit --include='*.swift' \
  | grep -vE '^Sources/FileTree/System/Primitives\.swift:|: *//' || true)
if [ -n "$found" ]; then
  echo "these calls belong into Sources/FileTree/System/Primitives.swift:" >&2
  echo "$found" >&2
  exit 1
fi
