#!/usr/bin/env bash
# Each target in Sources has a folder of tests named after it.
set -euo pipefail
cd "$(dirname "$0")/.."
missing=()
for folder in Sources/*/; do
  target=$(basename "$folder")
  case $target in
    # Headers of C libraries have no behaviour of their own.
    CLibraries) continue ;;
    # The program's tests run it as a whole.
    syncd) tests=SyncdTests ;;
    *) tests=${target}Tests ;;
  esac
  if ! grep -qs '@Test' -r "Tests/$tests"; then missing+=("$target"); fi
done
if ((${#missing[@]})); then
  echo "check-test-folders: no tests in Tests/TARGETTests for: ${missing[*]}" >&2
  exit 1
fi
echo "check-test-folders: passed"
