#!/usr/bin/env bash
# Measures syncd alone on very many files: time and, above all, memory.
#
#   Benchmarks/run-many.sh [FILES]        1000000 files by default, in BENCH_DIR or /var/tmp
set -euo pipefail
cd "$(dirname "$0")/.."
syncd=$(swift build -c release --static-swift-stdlib --show-bin-path)/syncd
work=$(mktemp -d "${BENCH_DIR:-/var/tmp}/syncd-many.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 Benchmarks/many.py --syncd "$syncd" --work "$work" --files "${1:-1000000}"
