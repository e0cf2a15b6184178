#!/usr/bin/env bash
# All checks in addition to the tests: format, prose, imports, a build without warnings.
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/timed.sh "format" swift format lint -s -r Package.swift Sources Emulators Plugins Tests Examples \
  Benchmarks/OrgBench/Package.swift Benchmarks/OrgBench/Sources/OrgBench
Scripts/check-prose.py
Scripts/check-docs.py
Scripts/build.sh
Scripts/timed.sh "whole modules" Scripts/check-whole-modules.py
Scripts/check-primitives.sh
Scripts/check-core.sh
Scripts/check-test-folders.sh
Scripts/plant-mistakes.py --check
Scripts/timed.sh "registration" Scripts/check-registration.sh
Scripts/timed.sh "package recipes" Scripts/test-packages.py Recipes
echo "check: passed"
