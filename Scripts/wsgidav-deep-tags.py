#!/usr/bin/env python3
"""wsgidav with what a Nextcloud has: a folder's tag changes with everything below it, and readers see whole uploads only.

Takes the command line of wsgidav. The tag of a file is that of its content; the tag of a folder is made of the names and
the tags of what is in it.
"""

import hashlib
import os
import sys
import tempfile

from wsgidav import fs_dav_provider
from wsgidav.server.server_cli import run


def tag(path):
    digest = hashlib.sha256()
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            try:
                digest.update(os.fsencode(name) + b"\0" + tag(os.path.join(path, name)).encode())
            except FileNotFoundError:
                pass
    else:
        with open(path, "rb") as file:
            digest.update(b"file" + file.read())
    return digest.hexdigest()[:32]


def get_etag(resource):
    return tag(resource._file_path)


class Upload:
    """Replaces the file once the upload is complete."""

    def __init__(self, path, size):
        self.path, self.size = path, size
        self.file = tempfile.NamedTemporaryFile(dir=os.environ.get("TMPDIR", "/tmp"), delete=False)

    def write(self, data):
        self.file.write(data)

    def close(self):
        self.file.close()
        if os.path.getsize(self.file.name) != self.size:
            os.unlink(self.file.name)
            raise EOFError("half an upload")
        os.replace(self.file.name, self.path)


def begin_write(resource, *, content_type=None):
    return Upload(resource._file_path, int(resource.environ["CONTENT_LENGTH"]))


fs_dav_provider.FileResource.get_etag = get_etag
fs_dav_provider.FileResource.begin_write = begin_write
fs_dav_provider.FolderResource.get_etag = get_etag
sys.exit(run())
