"""A server of any protocol that tries to keep syncd busy.

Arguments: KIND RECORD [PROTOCOL]. It answers the beginning that the protocol requires, and then by KIND nothing (`silent`), one
byte a second (`drip`) or endless bytes (`endless`); with `sizes` a WebDAV folder lists a file of 2 bytes whose content never ends, and
with `pages` each short answer of a listing promises two more.
Without PROTOCOL it is an HTTP server, which takes the protocol from the first part of the path and prints its port; otherwise it
speaks that protocol over its own input and output, as a program that runs instead of ssh. It adds the protocol of each request
to the file RECORD.
"""
import hashlib
import itertools
import json
import os
import sys
import threading
import time

import loopback

kind, record = sys.argv[1:3]

LISTING = b'<?xml version="1.0"?><multistatus xmlns="DAV:">'


def packet(text):
    """A packet of git."""
    return b"%04x" % (len(text) + 4) + text


GIT = packet(b"# service=git-upload-pack\n") + b"0000" + packet(b"1" * 40 + b" refs/heads/main\0agent=git/2\n")
# Type, the beginning, and what is repeated.
ANSWERS = {
    "webdav": (b"application/xml", LISTING, b" "),
    "box": (b"application/json", b'{"next_stream_position": 1, "entries": [', b" "),
    "dropbox": (b"application/json", b'{"has_more": false, "cursor": "c", "entries": [', b" "),
    # The name of the bucket of S3.
    "bucket": (b"application/xml", b'<?xml version="1.0"?><ListBucketResult>', b" "),
    "github": (b"application/json", b'{"default_branch": "main", ', b" "),
    "git": (b"application/x-git-upload-pack-advertisement", GIT, packet(b"2" * 40 + b" refs/heads/other\n")),
    # The first bytes of rsync, protocol 31, and then frames with messages.
    "rsync": (None, b"\x1f\0\0\0\0\0\0\0\0", b"\x04\0\0\x09abc\n"),
    # The version of sftp, 3, and then packets that answer no request.
    "sftp": (None, b"\0\0\0\x05\x02\0\0\0\x03", b"\0\0\0\x11\x65\0\0\0\x63" + b"\0" * 12),
}
TOKEN = b'{"access_token": "t", "token_type": "bearer", "expires_in": 14400}'


def note(protocol):
    with open(record, "a") as file:
        file.write(protocol + "\n")


def keep_busy(protocol, out):
    part = ANSWERS[protocol][2]
    out.write(ANSWERS[protocol][1])
    out.flush()
    while True:
        if kind == "silent":
            time.sleep(600)
        elif kind == "drip":
            for place in range(len(part)):
                time.sleep(1)
                out.write(part[place : place + 1])
                out.flush()
        else:
            out.write(part * (65536 // len(part)))
            out.flush()


numbers = itertools.count(1)


def page(protocol, path):
    """An answer of a listing that never ends."""
    number = next(numbers)
    if protocol == "box":
        if "/events" in path:
            return b'{"entries": [], "next_stream_position": 1}'
        entries = [{"type": "folder", "id": f"{number}", "name": f"{number}", "etag": "0"}]
        return json.dumps({"entries": entries, "next_marker": f"{number}"}).encode()
    if protocol == "dropbox":
        entries = [{".tag": "folder", "name": f"{number}", "id": f"id:{number}", "path_lower": f"/{number}", "path_display": f"/{number}"}]
        return json.dumps({"entries": entries, "cursor": f"{number}", "has_more": True}).encode()
    if protocol == "bucket":
        file = f"<Contents><Key>{number:012}.org</Key><Size>2</Size><ETag>1</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
        token = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{number}</NextContinuationToken>"
        return f"<ListBucketResult><Name>bucket</Name><Prefix></Prefix>{token}{file}</ListBucketResult>".encode()
    new = lambda text: hashlib.sha1(f"{text} {number}".encode()).hexdigest()
    last = path.split("?")[0].split("/")[-1]
    if "/git/trees/" in path:
        trees = [{"path": name, "mode": "040000", "type": "tree", "sha": new(name)} for name in ["a", "b"]]
        return json.dumps({"sha": last, "tree": trees, "truncated": "recursive" in path}).encode()
    if "/git/commits/" in path:
        return json.dumps({"sha": last, "tree": {"sha": new("tree")}, "parents": []}).encode()
    if "/git/ref/" in path:
        return json.dumps({"ref": "refs/heads/main", "object": {"type": "commit", "sha": "1" * 40}}).encode()
    return b'{"full_name": "ann/notes", "default_branch": "main"}'


class Server(loopback.Handler):
    def serve(self):
        self.close_connection = True
        protocol = self.path.split("/")[1].split("?")[0]
        note(protocol)
        if self.path.endswith("/oauth2/token"):
            return self.send(b"200 OK", b"application/json", TOKEN)
        answers_listing = protocol == "webdav" and self.command != "GET"
        if answers_listing and kind == "sizes":
            return self.send(b"207 Multi-Status", b"application/xml", self.listing(b"a.org"))
        if answers_listing and kind == "pages":
            return self.send(b"207 Multi-Status", b"application/xml", self.listing(b"a/", b"b/"))
        if kind == "pages":
            return self.send(b"200 OK", ANSWERS[protocol][0], page(protocol, self.path))
        self.send(b"207 Multi-Status" if answers_listing else b"200 OK", ANSWERS[protocol][0], b"")
        try:
            keep_busy(protocol, self.wfile)
        except OSError:
            pass

    def send(self, status, type, body):
        head = b"HTTP/1.1 " + status + b"\r\nDAV: 1\r\nContent-Type: " + type + b"\r\n\r\n"
        self.wfile.write(head + body)
        self.wfile.flush()

    def listing(self, *names):
        """The items of the root with `sizes`, and otherwise of the folder of the request."""
        folder = (self.path if kind == "pages" else self.path.split("/org/")[0] + "/org/").encode()
        size = b"<getcontentlength>2</getcontentlength>"
        body = LISTING
        for name in (b"",) + names:
            type, length = (b"<collection/>", b"") if not name or name.endswith(b"/") else (b"", size)
            body += b"<response><href>" + folder + name + b'</href><propstat><prop><getetag>"1"</getetag><resourcetype>'
            body += type + b"</resourcetype>" + length + b"</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
        return body + b"</multistatus>"


if len(sys.argv) > 3:
    protocol = "sftp" if sys.argv[-1] == "sftp" else "rsync"
    note(protocol)
    # A silent program ends with its input, as ssh does.
    threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(1)), daemon=True).start()
    try:
        keep_busy(protocol, sys.stdout.buffer)
    except OSError:
        sys.exit(1)
loopback.run(Server)
