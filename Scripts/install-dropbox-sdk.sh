#!/usr/bin/env bash
# install-dropbox-sdk.sh FOLDER: installs Dropbox's own SDK, which tests the emulator, into a separate Python environment.
# Silent and fast if it is already installed.
set -euo pipefail
folder=$1
"$folder/bin/python" -c 'import dropbox' 2>/dev/null && exit 0
echo "installing the Dropbox SDK" >&2
python3 -m venv "$folder" >&2
"$folder/bin/pip" install --quiet --disable-pip-version-check dropbox==12.2.4 >&2
