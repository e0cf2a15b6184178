#!/usr/bin/env bash
# Builds once and runs the whole test suite from that build, then the example of a backend in a package of its own.
# Arguments go to `swift test`; with any, the example is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
jobs=${JOBS:-2}
swift build -j "$jobs" --build-tests
swift test --skip-build "$@"
[ $# -eq 0 ] || exit 0
swift test -j "$jobs" --package-path Examples/BackendExample
