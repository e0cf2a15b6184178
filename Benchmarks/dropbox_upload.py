#!/usr/bin/env python3
"""dropbox_upload.py BASE FOLDER HOME THREADS: uploads the files of HOME/store that HOME/names lists, with Dropbox's SDK.

HOME/revs.json remembers their revs; a file that has one is updated by it.
"""
import concurrent.futures
import json
import pathlib
import sys
from urllib.parse import urlsplit

import dropbox
import requests
from dropbox import files


class Rerouted(requests.Session):
    """Redirects requests for Dropbox's hosts to another address."""

    def __init__(self, base):
        super().__init__()
        self.base, self.trust_env = base, False
        self.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=32))

    def request(self, method, url, **rest):
        return super().request(method, self.base + urlsplit(url).path, **rest)


def main():
    base, folder, home, threads = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
    memory = home / "revs.json"
    revs = json.loads(memory.read_text()) if memory.exists() else {}
    client = dropbox.Dropbox("test-token", session=Rerouted(base))

    def upload(name):
        mode = files.WriteMode.update(revs[name]) if name in revs else files.WriteMode.add
        data = (home / "store" / name).read_bytes()
        return name, client.files_upload(data, f"{folder}/{name}", mode=mode, strict_conflict=True, mute=True).rev

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        revs.update(pool.map(upload, (home / "names").read_text().splitlines()))
    memory.write_text(json.dumps(revs))


main()
