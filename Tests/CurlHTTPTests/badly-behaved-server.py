#!/usr/bin/env python3
"""A loopback HTTP server whose paths each do something that clients have to bear. Prints its port.

  /echo       gives the body back                 /count     how many requests of each path were begun, and of any kind
  /bytes/N    N bytes                             /slow/N    N bytes, a kilobyte at a time, as fast as they are taken
  /redirect/X to /X on this server                /elsewhere to another port
  /silent     never answers                       /short     fewer bytes than announced
  /drip       ten bytes a second, for ever
  /close      closes the connection after the answer without saying so
  /endless-head, /endless-body                    /auth      401 unless the right Basic credentials come
  /refuse     answers 413 before the body has come
Python's standard library only.
"""
import base64, collections, http.server, json, socket, time

counts = collections.Counter()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args): pass

    def handle_one_request(self):
        try: super().handle_one_request()
        except (ConnectionError, TimeoutError): self.close_connection = True

    def __getattr__(self, name):
        if name.startswith("do_"): return self.serve
        raise AttributeError(name)

    def answer(self, body=b"", status=200, **headers):
        self.send_response_only(status)
        for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)

    def serve(self):
        parts = self.path.strip("/").split("/")
        counts[parts[0]] += 1
        if parts[0] == "refuse":
            return self.refuse()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        getattr(self, "on_" + parts[0].replace("-", "_"))(body, *parts[1:])

    # A server that closes with unread bytes resets the connection, and the client's next write fails before it reads the
    # answer. So the server reads on until the client closes (RFC 9112, 9.6).
    def refuse(self):
        self.close_connection = True
        self.answer(b"too large", 413, Connection="close")
        self.connection.shutdown(socket.SHUT_WR)
        while self.connection.recv(65536): pass

    def on_echo(self, body): self.answer(body, X_Method=self.command, X_Auth=self.headers.get("Authorization") or "")
    def on_count(self, body): self.answer(json.dumps(counts).encode())
    def on_bytes(self, body, size): self.answer(b"x" * int(size))
    def on_redirect(self, body, target): self.answer(b"", 302, Location="/" + target)
    def on_elsewhere(self, body): self.answer(b"", 302, Location="http://localhost:1/echo")
    def on_circle(self, body): self.answer(b"", 302, Location="/circle")
    def on_silent(self, body): time.sleep(600)

    def on_drip(self, body):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            self.wfile.write(b"x")
            time.sleep(0.1)

    def on_slow(self, body, size):
        self.send_response_only(200)
        self.send_header("Content-Length", size)
        self.end_headers()
        for _ in range(int(size) // 1024): self.wfile.write(b"y" * 1024)

    def on_short(self, body):
        self.close_connection = True
        self.send_response_only(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"z" * 100)

    def on_close(self, body):
        self.answer(b"bye")
        self.close_connection = True

    # The next request on this connection is read, but never answered.
    def on_trap(self, body):
        self.answer(b"caught")
        line = self.rfile.readline()
        counts["trapped " + line.decode().split(" ")[0]] += 1
        self.close_connection = True

    def on_endless_head(self, body):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True: self.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")

    def on_endless_body(self, body):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True: self.wfile.write(b"x" * 65536)

    def on_auth(self, body):
        if self.headers.get("Authorization") == "Basic " + base64.b64encode("ann:p\u00e4ss: w".encode()).decode():
            return self.answer(b"in")
        self.answer(b"out", 401, WWW_Authenticate='Basic realm="x"')

http.server.ThreadingHTTPServer.request_queue_size = 128
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
