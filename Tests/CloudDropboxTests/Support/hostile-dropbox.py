#!/usr/bin/env python3
"""hostile-dropbox.py HOW RECORD: a Dropbox whose folder has one file, `good.org`, and that misbehaves in one way.

Prints its address. Adds the header lines of each request to the file RECORD.
"""
import http.server
import itertools
import json
import sys

how, record = sys.argv[1:]
numbers = itertools.count()


def file(path, **members):
    name = path.split("/")[-1]
    time = "2026-01-01T00:00:00Z"
    return {".tag": "file", "name": name, "id": "id:" + path, "path_lower": path.lower(), "path_display": path, "rev": "0123456789",
            "size": 2, "client_modified": time, "server_modified": time, "is_downloadable": True} | members


def page(entries, more=False, cursor="c"):
    return {"entries": entries, "cursor": cursor, "has_more": more}


def listing():
    good = file("/top/good.org")
    if how == "same-cursor":
        return page([good], True)
    if how == "empty-pages":
        return page([], True, str(next(numbers)))
    if how == "climbing":
        paths = ["/top/../out.org", "/top/..", "/etc/passwd", "/top/a//b.org", "/top/a\0b.org", "/top", "/", "", "top/x.org",
                 "/top/d/../../x.org", "/topping/x.org", "/top/./y.org"]
        return page([file(path) for path in paths] + [good])
    if how == "sizes":
        return page([file("/top/a.org", size=2**63 - 1), file("/top/b.org", size=-1), good])
    if how == "huge-size":
        return page([file("/top/a.org", size=2**64), good])
    if how == "twice":
        return page([file("/top/good.org", rev="1"), good])
    return page([good])


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with open(record, "a") as log:
            log.write(self.path + "\n" + str(self.headers))
        route = self.path.split("/2/")[-1]
        if self.path.endswith("/oauth2/token"):
            token = {"access_token": "t\r\nX-Injected: yes" if how == "token" else "t", "token_type": "bearer"}
            lasts = {"forever": 1e300, "never": -(2**63)}.get(how, 14400)
            return self.answer(json.dumps(token | {"expires_in": lasts}).encode())
        if route == "files/download":
            return self.download()
        if route.startswith("files/list_folder"):
            if how == "deep":
                return self.answer(b'{"entries": ' + b"[" * 1_000_000)
            if how == "many-values":
                return self.answer(b'{"cursor": "c", "has_more": false, "entries": [], "x": [' + b"0," * 4_000_000 + b"0]}")
            return self.answer(json.dumps(listing()).encode())
        self.answer(b"{}")

    def answer(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def download(self):
        result = [("Dropbox-API-Result", json.dumps(file("/top/good.org")))]
        if how != "endless-file":
            return self.answer(b"x" * {"longer": 3, "shorter": 1}.get(how, 2), headers=result)
        self.close_connection = True
        self.send_response(200)
        self.send_header(*result[0])
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
