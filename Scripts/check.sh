#!/usr/bin/env bash
# Everything that must hold in addition to the tests: format, prose, imports, a build without warnings.
set -euo pipefail
cd "$(dirname "$0")/.."
swift format lint -s -r Package.swift Sources Emulators Plugins Tests Examples Benchmarks/OrgBench/Package.swift \
  Benchmarks/OrgBench/Sources/OrgBench
Scripts/check-prose.py
swift build -j "${JOBS:-2}" --explicit-target-dependency-import-check error
Scripts/check-primitives.sh
Scripts/check-core.sh
Scripts/check-registration.sh
echo "check: passed"
