#!/usr/bin/env python3
"""A loopback HTTP proxy that passes requests on, and answers chosen ones in the worst ways that servers have.

  spoiling-proxy.py PORT      prints the port it listens on; PORT is the server's

`SPOIL /` with a body {"how": …, "nth": N, "times": N, "methods": [...], "ending": …} chooses; nth counts the requests of these
methods (all if there are none) from or to addresses with this ending from that moment on. `COUNT /` answers {"seen": …, "spoiled": …}.
Python's standard library only.
"""
import http.client, http.server, json, sys, threading, unicodedata, urllib.parse

PROLOG = '<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">'
FOLDER = '<D:response><D:href>%s</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>' \
         '<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>'
FILE = '<D:response><D:href>%s</D:href><D:propstat><D:prop><D:resourcetype/><D:getetag>"%s"</D:getetag>' \
       '<D:getcontentlength>4</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>'
INNER = '<D:response><D:href>%s</D:href><D:status>HTTP/1.1 %d No</D:status></D:response>'
BLANK = '<D:response><D:href>%s</D:href><D:propstat><D:prop><D:resourcetype/><D:getetag/></D:prop>' \
        '<D:status>HTTP/1.1 %d No</D:status></D:propstat></D:response>'
CLIMBING = ["../up.org", "..%2Fup.org", "%2e%2e/up.org", "..", "%00.org", "/etc/passwd", "a%2F..%2F..%2Fup.org", "x/../y.org",
            "http://127.0.0.1:1/elsewhere.org", "%2Fetc%2Fpasswd", "a.org%00.txt"]
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    '<!ENTITY %s "%s">' % (chr(98 + i), ("&%s;" % chr(97 + i)) * 10) for i in range(12)) + ']>'


def plain(status, text="", kind="text/html", **headers):
    return status, dict({"Content-Type": kind, "Content-Length": str(len(text.encode()))}, **headers), text.encode()


def listing(path, files):
    return plain(207, PROLOG + FOLDER % path + files + "</D:multistatus>", "application/xml")


def altered(url, change):
    """The address with every part changed, as by a server that has its own idea of names."""
    split = urllib.parse.urlsplit(url)
    parts = [urllib.parse.unquote_to_bytes(part).decode(errors="surrogateescape") for part in split.path.split("/")]
    path = "/".join(urllib.parse.quote(change(part).encode(errors="surrogateescape")) for part in parts)
    return urllib.parse.urlunsplit(split._replace(path=path))


# What servers make of names.
NAMES = {
    "composed-names": lambda name: unicodedata.normalize("NFC", name),
    "decomposed-names": lambda name: unicodedata.normalize("NFD", name),
    "names-without-blanks": lambda name: name.replace(" ", "_"),
}
# Requests that are answered without asking the server.
BEFORE = {
    "html": lambda path: plain(200, "<html><body>Please sign in</body></html>"),
    "html-207": lambda path: plain(207, "<html><body><p>Please sign in</body></html>"),
    "cut-xml": lambda path: plain(207, PROLOG + FOLDER % path + "<D:resp", "application/xml"),
    "late-text": lambda path: plain(207, PROLOG + FOLDER % path + "</D:multistatus>Internal Server Error", "application/xml"),
    "no-xml": lambda path: plain(207, "\x00\x01\x02\x03" * 64, "application/xml"),
    "empty": lambda path: plain(207),
    "nobody": lambda path: plain(207, PROLOG + "</D:multistatus>", "application/xml"),
    "204": lambda path: (204, {}, b""),
    "302": lambda path: plain(302, Location="http://localhost:1/elsewhere/"),
    "301-https": lambda path: plain(301, Location="https://127.0.0.1:1" + path),
    "400": lambda path: plain(400), "401": lambda path: plain(401, **{"WWW-Authenticate": 'Basic realm="x"'}),
    "403": lambda path: plain(403), "404": lambda path: plain(404), "412": lambda path: plain(412),
    "423": lambda path: plain(423), "500": lambda path: plain(500), "507": lambda path: plain(507),
    "429-negative": lambda path: plain(429, **{"Retry-After": "-5"}),
    "429-words": lambda path: plain(429, **{"Retry-After": "soon"}),
    "503-past": lambda path: plain(503, **{"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}),
    "503-huge": lambda path: plain(503, **{"Retry-After": "99999999999999999999999"}),
    "502": lambda path: plain(502), "504": lambda path: plain(504),
    "bomb": lambda path: plain(207, BOMB + '<D:multistatus xmlns:D="DAV:">&m;</D:multistatus>', "application/xml"),
    "deep": lambda path: plain(207, PROLOG + "<D:prop>" * 200000, "application/xml"),
    "climbing": lambda path: listing(path, "".join(FILE % (p if p[:1] in "/h" else path + p, "x") for p in CLIMBING)),
    "twice": lambda path: listing(path, FILE % (path + "a.org", "1") + FILE % (path + "a.org", "2")),
    "inner-500": lambda path: plain(207, PROLOG + INNER % (path, 500) + "</D:multistatus>", "application/xml"),
    "inner-410": lambda path: plain(207, PROLOG + INNER % (path, 410) + "</D:multistatus>", "application/xml"),
    "blank-403": lambda path: plain(207, PROLOG + BLANK % (path, 403) + "</D:multistatus>", "application/xml"),
    "blank-parent": lambda path: plain(500) if path.endswith(".org") else plain(
        207, PROLOG + (BLANK % (path, 200)) + "</D:multistatus>", "application/xml"),
    "inner-members": lambda path: listing(path, FILE % (path + "b.org", "1") + INNER % (path + "a.org", 500) +
                                          BLANK % (path + "c", 403)),
    "stranger": lambda path: listing("/somewhere/else/", FILE % ("/somewhere/else/a.org", "1")),
}
# Requests that are executed, and then answered incorrectly.
AFTER = {"lost", "late-500", "late-html", "late-404", "same-tags", "overtaken", "late-201", "short-lock", "torn"}
# Answers without an end.
ENDLESS = {"endless-body", "endless-head"}


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    plan = {"how": None}
    seen = spoiled = 0

    def log_message(self, *args): pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def __getattr__(self, name):
        if name.startswith("do_"): return self.serve
        raise AttributeError(name)

    def serve(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        # A request that ends early is not passed on.
        if len(body) < size or self.command == "PUT" and "Content-Length" not in self.headers:
            self.close_connection = True
            return
        if self.command == "SPOIL":
            with Proxy.lock: Proxy.plan, Proxy.seen, Proxy.spoiled = json.loads(body), 0, 0
            return self.reply(*plain(200))
        if self.command == "COUNT":
            return self.reply(*plain(200, json.dumps({"seen": Proxy.seen, "spoiled": Proxy.spoiled})))
        how = self.choose()
        if how in BEFORE: return self.reply(*BEFORE[how](self.path))
        if how in ENDLESS: return self.endless(how)
        # A server that converts line ends, or one that no longer obeys.
        if how == "carriage-returns":
            body = body.replace(b"\n", b"\r\n")
            self.headers.replace_header("Content-Length", str(len(body)))
        if how == "other-bytes" and body.startswith(b"* "): body = body.upper()
        if how == "weak-tags" and "If-Match" in self.headers: return self.reply(*plain(412))
        if how == "overwriting" and "Overwrite" in self.headers: self.headers.replace_header("Overwrite", "T")
        # A person saves the file on the server's disk.
        if how == "edited":
            with open(Proxy.plan["file"], "w") as file: file.write(Proxy.plan["text"])
        if how in NAMES:
            self.path = altered(self.path, NAMES[how])
            if "Destination" in self.headers:
                self.headers.replace_header("Destination", altered(self.headers["Destination"], NAMES[how]))
        if how == "folder-exchanged": self.change_folder("DELETE")
        answer = self.forward(body)
        if how == "folder-exchanged": self.change_folder("MKCOL")
        if how == "overtaken": self.overtake()
        if how == "torn": answer = self.tear(*answer)
        if how == "lost": self.close_connection = True
        elif how == "late-500": self.reply(*plain(500))
        elif how == "late-404": self.reply(*plain(404))
        elif how == "late-201": self.reply(201, *answer[1:])
        elif how == "short-lock": self.reply(*answer[:2], answer[2].replace(b"Second-60", b"Second-05"))
        elif how == "late-html": self.reply(*BEFORE["html"](self.path))
        else: self.reply(*(self.with_same_tags(*answer) if how == "same-tags" else answer))

    def choose(self):
        with Proxy.lock:
            methods = Proxy.plan.get("methods")
            if not Proxy.plan.get("how") or methods and self.command not in methods: return None
            places = self.path, self.headers.get("Destination") or ""
            if not any(place.endswith(Proxy.plan.get("ending") or "") for place in places): return None
            Proxy.seen += 1
            first = Proxy.plan.get("nth", 1)
            if not first <= Proxy.seen < first + Proxy.plan.get("times", 1): return None
            Proxy.spoiled += 1
            return Proxy.plan["how"]

    def overtake(self):
        """Another writer stores a text of the same size right after an upload."""
        path = urllib.parse.urlsplit(self.headers.get("Destination") or self.path).path
        headers = {"Authorization": self.headers.get("Authorization", "")}
        for method, change in ("GET", None), ("PUT", lambda text: text[-2::-1] + text[-1:]):
            server = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30)
            server.request(method, path, change and change(text), headers)
            text = server.getresponse().read()
            server.close()

    def change_folder(self, method):
        """Another client removes or creates the folder of a file."""
        server = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30)
        folder = urllib.parse.urlsplit(self.path).path.rpartition("/")[0] + "/"
        server.request(method, folder, None, {"Authorization": self.headers.get("Authorization", "")})
        server.getresponse().read()
        server.close()

    def tear(self, status, headers, body):
        """The headers of the present file, with the bytes of a longer version that another writer stores at that moment."""
        text = b"* more\n" + body
        server = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30)
        server.request("PUT", self.path, text, {"Authorization": self.headers.get("Authorization", "")})
        server.getresponse().read()
        server.close()
        return status, headers, text[:len(body)]

    def forward(self, body):
        server = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=30)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("connection", "expect")}
        # The server compares the host of a destination with its own.
        own = "127.0.0.1:%d" % self.server.server_port
        headers = {k: v.replace(own, "127.0.0.1:" + sys.argv[1]) for k, v in headers.items()}
        server.request(self.command, self.path, body or None, headers)
        answer = server.getresponse()
        content = answer.read()
        kept = {k: v for k, v in answer.getheaders() if k.lower() not in ("connection", "transfer-encoding", "keep-alive")}
        kept["Content-Length"] = kept.get("Content-Length") if self.command == "HEAD" else str(len(content))
        server.close()
        if answer.status == 204: kept.pop("Content-Length", None)
        return answer.status, kept, content

    @staticmethod
    def with_same_tags(status, headers, body):
        import re
        body = re.sub(rb"<([A-Za-z0-9]+:getetag)>[^<]*<", rb'<\1>"same"<', body)
        headers = {k: ('"same"' if k.lower() == "etag" else v) for k, v in headers.items()}
        return status, dict(headers, **({} if status == 204 else {"Content-Length": str(len(body))})), body

    def reply(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers.items(): self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)

    def endless(self, how):
        self.close_connection = True
        try:
            self.wfile.write(b"HTTP/1.1 207 Multi-Status\r\n")
            while how == "endless-head": self.wfile.write(b"X-More: " + b"x" * 8000 + b"\r\n")
            self.wfile.write(b"Content-Type: application/xml\r\n\r\n" + PROLOG.encode() + (FOLDER % self.path).encode())
            number = 0
            while True:
                number += 1
                self.wfile.write((FILE % (self.path + "%d.org" % number, number)).encode())
        except (ConnectionError, TimeoutError):
            pass

http.server.ThreadingHTTPServer.request_queue_size = 128
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
