#!/usr/bin/env bash
# Measures OrgKit alone: reading, merging beside git merge-file, and inputs that no one writes; prints two tables.
set -euo pipefail
cd "$(dirname "$0")/.."
package=Benchmarks/OrgBench
swift build -c release -j "${JOBS:-2}" --package-path "$package" >&2
work=$(mktemp -d "${BENCH_DIR:-/var/tmp}/org-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 Benchmarks/measure_org.py --bench "$(swift build -c release --package-path "$package" --show-bin-path)/OrgBench" \
  --work "$work"
