#!/usr/bin/env bash
# install-wsgidav.sh FOLDER: installs wsgidav, a WebDAV server that Debian has no package of, into a separate Python
# environment. Silent and fast if it is already installed.
set -euo pipefail
folder=$1
"$folder/bin/python" -c 'import wsgidav, cheroot' 2>/dev/null && exit 0
echo "installing wsgidav" >&2
python3 -m venv "$folder" >&2
"$folder/bin/pip" install --quiet --disable-pip-version-check wsgidav==4.4.0 cheroot==11.1.2 >&2
