#!/usr/bin/env bash
# Builds everything including the tests, and checks imports. `make check` and `make test` share this build, and so does the
# example package, which then builds only its own targets.
set -euo pipefail
cd "$(dirname "$0")/.."
flags=(-j "${JOBS:-2}" --build-tests --explicit-target-dependency-import-check error)
Scripts/timed.sh "build" swift build "${flags[@]}"
