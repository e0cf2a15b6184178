#!/usr/bin/env bash
# Builds once and runs the whole test suite from that build, then the example package. Arguments are passed to `swift test`;
# with any, the example is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
Scripts/build.sh
if [ $# -gt 0 ]; then exec swift test --skip-build "$@"; fi
tests=$(swift build --show-bin-path)/syncdPackageTests.xctest

# Servers that all tests share have no owner that would remove their files. The name is short, because sockets are in the
# folder.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/syncd.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# run NAME MINUTES COMMAND…: runs a part of the suite, and ends it if it hangs; saves its output and its exit status. It does
# not use a pipe, which a leftover program would keep open.
run() {
  local name=$1 minutes=$2 status=0
  shift 2
  : >"$TMPDIR/output.$name"
  Scripts/timed.sh "$name" timeout --kill-after=30 "${minutes}m" "$@" >"$TMPDIR/output.$name" 2>&1 &
  if [ "$name" = others ]; then tail -n +1 -f --pid=$! "$TMPDIR/output.$name"; fi
  wait $! || status=$?
  echo "$status" >"$TMPDIR/status.$name"
}

# suite NAME MINUTES FILTER…: runs tests of the build without `swift test`, which prints in blocks and would lose the last lines
# of a part that hangs.
suite() {
  local name=$1 minutes=$2
  shift 2
  run "$name" "$minutes" "$tests" --testing-library swift-testing "$@"
}

# Prints the tests that were started but not ended according to the output on stdin.
unfinished() {
  sed -E -n 's/^◇ Test (.*) started\.$/+\1/p
    s/^[^ ]+ Test (.*) skipped.*/-\1/p
    s/^[^ ]+ Test (.*) (passed|failed) after .*/-\1/p' \
    | sed -E '/^-/s/ with [0-9]+ test cases?$//; /^\+(run$|case passing )/d' \
    | awk '{ count[substr($0, 2)] += /^\+/ ? 1 : -1 } END { for (name in count) if (count[name] > 0) print name }'
}

# Prints swift-testing's summary of a part; nothing if it found no test.
summary() { grep -aE '^[^ ]+ +Test run with [1-9][0-9]* tests?' "$TMPDIR/output.$1" | tail -n 1; }

# Tests that run programs block the few threads of a process while they wait, and would make a server seem slow. So the suite
# runs in several processes side by side; they wait more than they compute.
apart=(CurlHTTPTests CloudS3Tests CloudSFTPTests CloudWebDAVTests CloudDropboxTests)
others=(--skip "^SyncdTests\\.")
for suite in "${apart[@]}"; do others+=(--skip "^$suite\\."); done
(for suite in "${apart[@]}"; do suite "$suite" 30 --filter "^$suite\\."; done) &
suite program-A-H 45 --filter '^SyncdTests\.[A-H]' &
suite program-I-Z 45 --filter '^SyncdTests\.[^A-H]' &
suite others 45 "${others[@]}"
wait
parts=("${apart[@]}" program-A-H program-I-Z others example)
for part in "${apart[@]}" program-A-H program-I-Z; do cat "$TMPDIR/output.$part"; done
failed=0
run example 15 swift test -j "${JOBS:-2}" --package-path Examples/BackendExample --scratch-path "$PWD/.build"
cat "$TMPDIR/output.example"

# Repeat the failures at the end, because their messages are thousands of lines above.
for name in "${parts[@]}"; do
  if [ "$(cat "$TMPDIR/status.$name")" != 0 ]; then
    echo "=== failed: $name"
    grep -aE -A 2 'recorded an issue|error:|Fatal error' "$TMPDIR/output.$name" || tail -n 20 "$TMPDIR/output.$name"
    unfinished <"$TMPDIR/output.$name" | sed 's/^/=== not ended: /'
    failed=1
  elif ! summary "$name" >/dev/null; then
    echo "=== failed: $name ran no test"
    failed=1
  fi
done
for name in "${parts[@]}"; do
  if line=$(summary "$name"); then echo "$name: $line"; else echo "$name: no tests"; fi
done | tee -a "${SYNCD_SUMMARY:-/dev/null}"
exit $failed
