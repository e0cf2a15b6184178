#!/usr/bin/env bash
# The core knows no plugin: SyncKit must not contain a plugin's id or failpoint.
set -euo pipefail
cd "$(dirname "$0")/.."

# The ids of the plugins, and the first words of the failpoints that modules outside of SyncKit declare.
ids=$(grep -rhoE 'static let id = "[^"]+"' Sources --include='*.swift' | sed 's/.*"\(.*\)"/\1/' | sort -u)
areas=$(grep -rlE 'enum [A-Za-z]+: String, ModuleFailpoint' Sources --include='*.swift' | grep -v '^Sources/SyncKit/' \
  | xargs grep -hoE 'case [A-Za-z]+ = "[a-z-]+\.' | sed 's/.*"\(.*\)\./\1/' | sort -u)
[ -n "$ids" ] && [ -n "$areas" ] || { echo "check-core: found no plugin; this check is out of date" >&2; exit 1; }

found=$(
  for id in $ids; do grep -rnF "\"$id\"" Sources/SyncKit --include='*.swift' || true; done
  for area in $areas; do grep -rnE "\"$area\.[a-z]|\b$area\.[a-z-]+\.[a-z-]+" Sources/SyncKit --include='*.swift' || true; done
)
if [ -n "$found" ]; then
  echo "SyncKit knows no plugin; declare this where the plugin is:" >&2
  echo "$found" >&2
  exit 1
fi

# Neither the core nor the plugins nor their libraries know the program's commands: errors contain a remedy as data.
commands='`syncd [a-z-]|syncd (login|doctor|rekey|restore|status|log|conflicts|resolve|settings|allow|init)\b'
found=$(grep -rnE "$commands" Sources --include='*.swift' \
  | grep -vE '^Sources/(SyncDaemon|CommandLine|Hub|HubServer|syncd)/' || true)
if [ -n "$found" ]; then
  echo "only the program knows its commands; give the error a remedy (SyncError.Remedy):" >&2
  echo "$found" >&2
  exit 1
fi
