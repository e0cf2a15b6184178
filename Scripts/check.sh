#!/usr/bin/env bash
# Everything that must hold besides the tests: the form of the code, the imports, a build without warnings.
set -euo pipefail
cd "$(dirname "$0")/.."
swift format lint -s -r Package.swift Sources Emulators Plugins Tests Examples Benchmarks/OrgBench/Package.swift \
  Benchmarks/OrgBench/Sources/OrgBench
swift build -j "${JOBS:-2}" --explicit-target-dependency-import-check error
Scripts/check-primitives.sh
Scripts/check-core.sh
Scripts/check-registration.sh
echo "check: all is well"
