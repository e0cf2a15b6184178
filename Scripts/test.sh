#!/usr/bin/env bash
# Builds once and runs the whole test suite from that build, then the example of a backend in a package of its own.
# Arguments go to `swift test`; with any, the example is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
jobs=${JOBS:-2}
swift build -j "$jobs" --build-tests
if [ $# -gt 0 ]; then exec swift test --skip-build "$@"; fi

# Servers that all tests share have nobody who would clear up behind them. The name is short: sockets are in there.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/syncd.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
failed=()

# Runs a part of the suite, and the rest even if it fails.
part() {
  local name=$1
  shift
  swift test "$@" 2>&1 | tee "$TMPDIR/output.$name" || failed+=("$name")
}

# What talks to servers must be answered in time. Tests that run programs keep the few threads of a process waiting for
# them, and would make a server seem slow.
apart=(CurlHTTPTests CloudWebDAVTests CloudDropboxTests)
others=()
for suite in "${apart[@]}"; do
  part "$suite" --skip-build --filter "^$suite\."
  others+=(--skip "^$suite\.")
done
part others --skip-build "${others[@]}"
part example -j "$jobs" --package-path Examples/BackendExample

# Thousands of lines later nobody finds what went wrong.
for name in ${failed[@]+"${failed[@]}"}; do
  echo "=== failed: $name"
  grep -E -A 2 'recorded an issue|error:|Fatal error' "$TMPDIR/output.$name" || tail -n 20 "$TMPDIR/output.$name"
done
[ ${#failed[@]} = 0 ]
