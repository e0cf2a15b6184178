#!/usr/bin/env bash
# Builds everything and its tests, with who imports whom checked. `make check` and `make test` share this build, and so does
# the example package, which builds only its own targets on top of it.
set -euo pipefail
cd "$(dirname "$0")/.."
flags=(-j "${JOBS:-2}" --build-tests --explicit-target-dependency-import-check error)
Scripts/timed.sh "build" swift build "${flags[@]}"
