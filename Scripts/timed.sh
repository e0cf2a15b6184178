#!/usr/bin/env bash
# timed.sh NAME COMMAND…: runs a command, and appends its duration to the file SYNCD_TIMES if that is set.
set -uo pipefail
name=$1
shift
start=$(date +%s)
"$@"
status=$?
if [ -n "${SYNCD_TIMES:-}" ]; then printf '%s\t%s\n' $(($(date +%s) - start)) "$name" >>"$SYNCD_TIMES"; fi
exit $status
