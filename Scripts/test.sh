#!/usr/bin/env bash
# Builds once and runs the whole test suite from that build, then the example of a backend in a package of its own.
# Arguments go to `swift test`; with any, the example is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
jobs=${JOBS:-2}
swift build -j "$jobs" --build-tests
if [ $# -gt 0 ]; then exec swift test --skip-build "$@"; fi
# What talks to servers must be answered in time. Tests that run programs keep the few threads of a process waiting for
# them, and would make a server seem slow.
servers='^(CurlHTTPTests|CloudWebDAVTests)\.'
dropbox='^CloudDropboxTests\.'
swift test --skip-build --filter "$servers"
swift test --skip-build --filter "$dropbox"
swift test --skip-build --skip "$servers" --skip "$dropbox"
swift test -j "$jobs" --package-path Examples/BackendExample
