#!/usr/bin/env bash
# Builds once and runs the whole test suite from that build, then the example of a backend in a package of its own.
# Arguments go to `swift test`; with any, the example is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
jobs=${JOBS:-2}
swift build -j "$jobs" --build-tests
if [ $# -gt 0 ]; then exec swift test --skip-build "$@"; fi
tests=$(swift build --show-bin-path)/syncdPackageTests.xctest

# Servers that all tests share have no one who would clear up behind them. The name is short: sockets are in there.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/syncd.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
failed=()

# part NAME MINUTES COMMAND…: runs a part of the suite, and the rest even if it fails or hangs and must be ended.
part() {
  local name=$1 minutes=$2
  shift 2
  local output=$TMPDIR/output.$name
  : >"$output"
  timeout --kill-after=30 "${minutes}m" "$@" >"$output" 2>&1 &
  # Not through a pipe, which a program that was left behind would hold open.
  tail -n +1 -f --pid=$! "$output"
  wait $! || failed+=("$name")
}

# suite NAME MINUTES FILTER…: runs tests of the build. Not by `swift test`, which says what it hears in lumps, and would
# keep to itself what a part that hangs has said last.
suite() {
  local name=$1 minutes=$2
  shift 2
  part "$name" "$minutes" "$tests" --testing-library swift-testing "$@"
}

# The tests that an output on stdin says were started and does not say were ended.
unfinished() {
  sed -E -n 's/^◇ Test (.*) started\.$/+\1/p
    s/^[^ ]+ Test (.*) skipped.*/-\1/p
    s/^[^ ]+ Test (.*) (passed|failed) after .*/-\1/p' \
    | sed -E '/^-/s/ with [0-9]+ test cases?$//; /^\+(run$|case passing )/d' \
    | awk '{ count[substr($0, 2)] += /^\+/ ? 1 : -1 } END { for (name in count) if (count[name] > 0) print name }'
}

# What talks to servers must be answered in time. Tests that run programs keep the few threads of a process waiting for
# them, and would make a server seem slow.
apart=(CurlHTTPTests CloudWebDAVTests CloudDropboxTests)
others=()
for suite in "${apart[@]}"; do
  suite "$suite" 20 --filter "^$suite\."
  others+=(--skip "^$suite\.")
done
suite others 45 "${others[@]}"
part example 15 swift test -j "$jobs" --package-path Examples/BackendExample

# Thousands of lines later no one finds what went wrong.
for name in ${failed[@]+"${failed[@]}"}; do
  echo "=== failed: $name"
  grep -E -A 2 'recorded an issue|error:|Fatal error' "$TMPDIR/output.$name" || tail -n 20 "$TMPDIR/output.$name"
  unfinished <"$TMPDIR/output.$name" | sed 's/^/=== not ended: /'
done
[ ${#failed[@]} = 0 ]
