#!/usr/bin/env bash
# Builds once and runs the whole test suite from that build. Arguments go to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
swift build -j "${JOBS:-2}" --build-tests
swift test --skip-build "$@"
