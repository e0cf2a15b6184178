#!/usr/bin/env python3
"""A key-value store over HTTP. Usage: key-value-server.py TOKEN PAGE-SIZE; prints its address."""
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN, PAGE_SIZE = sys.argv[1], int(sys.argv[2])
lock = threading.Lock()
objects = {}  # encoded path -> (etag, bytes)
count = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_allowed(self):
        if self.headers.get("Authorization") == f"Bearer {TOKEN}":
            return True
        self.answer(401)
        return False

    def condition_holds(self):
        """If the precondition holds for what is there; the lock must be held until the change is made."""
        etag = objects.get(self.path, (None,))[0]
        if self.headers.get("If-None-Match") == "*":
            return etag is None
        return "If-Match" not in self.headers or self.headers["If-Match"] == etag

    def do_GET(self):
        if not self.is_allowed():
            return
        place, _, query = self.path.partition("?")
        with lock:
            found = objects.get(self.path)
            # A place is what stands before the keys, so that one server has many stores.
            listed = sorted((key, value) for key, value in objects.items() if key.startswith(place))
        if not query:
            self.answer(200, found[1], ETag=found[0]) if found else self.answer(404)
            return
        after = query.removeprefix("after=")
        listed = [(key.removeprefix(place), value) for key, value in listed]
        rest = [(key, value) for key, value in listed if key > after]
        page = rest[:PAGE_SIZE]
        body = "".join(f"{key} {etag} {len(value)}\n" for key, (etag, value) in page).encode()
        self.answer(200, body, **({"Next": page[-1][0]} if len(rest) > len(page) else {}))

    def do_PUT(self):
        global count
        # A request that ends early stores nothing.
        size = int(self.headers.get("Content-Length", -1))
        body = self.rfile.read(size) if size >= 0 else b""
        if len(body) != size:
            self.close_connection = True
            return
        if not self.is_allowed():
            return
        with lock:
            if holds := self.condition_holds():
                count += 1
                objects[self.path] = (f'"{count}"', body)
            etag = objects.get(self.path, ("",))[0]
        self.answer(200, ETag=etag) if holds else self.answer(412)

    def do_DELETE(self):
        if not self.is_allowed():
            return
        with lock:
            if holds := self.path in objects and self.condition_holds():
                del objects[self.path]
        self.answer(200 if holds else 412)


class Server(ThreadingHTTPServer):
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
