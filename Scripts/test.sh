#!/usr/bin/env bash
# Builds once and runs the whole test suite from that build, then the example package. Arguments are passed to `swift test`;
# with any, the example is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
# The tests of one process that run at once. Without a limit all of them start at once, each with its servers, and wait for the
# processor until they reach their time limits.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SYNCD_TEST_WIDTH:-6}
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
  Scripts/timed.sh "$name" timeout --kill-after=30 "${minutes}m" "$@" >"$TMPDIR/output.$name" 2>&1 </dev/null || status=$?
  echo "$status" >"$TMPDIR/status.$name"
  report "$name"
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

# Prints how a part ended.
report() { echo "$1: $(summary "$1" | grep . || echo 'no tests')"; }

# start NAME FILTER: runs tests of the build in the background as soon as fewer than four parts are running. Without `swift test`,
# which prints in blocks and would lose the last lines of a part that hangs.
start() {
  while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n || true; done
  parts+=("$1")
  run "$1" 45 "$tests" --testing-library swift-testing --filter "$2" &
}

# optimized NAME MINUTES FOLDER ARGUMENT…: runs a program of tests that needs an optimized build, like the parts above.
optimized() {
  local name=$1 minutes=$2 folder=$3
  shift 3
  while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n || true; done
  parts+=("$name")
  run "$name" "$minutes" swift run -c release -j "${JOBS:-2}" --package-path "$folder" "$(basename "$folder")" "$@" &
}

# Tests that run programs block the few threads of a process while they wait. So each test target has a process of its own, and
# the tests of the program have one for each range of first letters; they wait more than they compute. The longest begin.
parts=()
start CloudWebDAVTests '^CloudWebDAVTests\.'
if [ "${SYNCD_SOAK:-}" = 1 ]; then
  optimized KnownMerges 240 Tests/KnownMerges 0 1000000
  optimized histories 480 Tests/Histories engine 0 1000000
  optimized command-histories 480 Tests/Histories commands 0 1000000
  optimized mesh-histories 480 Tests/Histories mesh 0 1000000
fi
for letters in '[D-E]' '[F-H]' '[A-C]' '[I-L]' '[M-P]' '[Q-S]' '[^A-S]'; do
  start "program-$letters" "^SyncdTests\.$letters"
done
for target in OrgKitTests SyncKitTestingTests SyncKitTests CloudS3Tests BackendOrgMobileTests HubClientTests \
  $(cd Tests && ls -d -- *Tests); do
  if [[ $target != SyncdTests && " ${parts[*]} " != *" $target "* ]]; then start "$target" "^$target\."; fi
done
wait
for part in "${parts[@]}"; do cat "$TMPDIR/output.$part"; done
failed=0
parts+=(example)
run example 15 swift test -j "${JOBS:-2}" --package-path Examples/BackendExample --scratch-path "$PWD/.build"
cat "$TMPDIR/output.example"

# Repeat the failures at the end, because their messages are thousands of lines above.
for name in "${parts[@]}"; do
  if [ "$(cat "$TMPDIR/status.$name")" != 0 ]; then
    echo "=== failed: $name"
    grep -aE -A 30 'recorded an issue|error:|Fatal error' "$TMPDIR/output.$name" | cut -c 1-2000 | grep . || tail -n 20 "$TMPDIR/output.$name"
    unfinished <"$TMPDIR/output.$name" | sed 's/^/=== not ended: /'
    failed=1
  elif ! summary "$name" >/dev/null; then
    echo "=== failed: $name ran no test"
    failed=1
  fi
done
for name in "${parts[@]}"; do report "$name"; done | tee -a "${SYNCD_SUMMARY:-/dev/null}"
exit $failed
