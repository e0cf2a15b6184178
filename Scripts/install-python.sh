#!/usr/bin/env bash
# install-python.sh FOLDER NAME: installs the packages of Scripts/requirements/NAME.txt, whose hashes pip checks, into a separate
# Python environment. Silent and fast if exactly these are already installed.
set -euo pipefail
folder=$1 name=$2
requirements=$(dirname "$0")/requirements/$name.txt
cmp -s "$requirements" "$folder/requirements.txt" && exit 0
echo "installing $name" >&2
python3 -m venv "$folder" >&2
"$folder/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement "$requirements" >&2
cp "$requirements" "$folder/requirements.txt"
