"""Answers git's smart protocol over HTTP. The first part of the path names the field that contains the hostile text.

Arguments: the text in hexadecimal digits. Prints its port.
"""
import sys

import loopback

evil = bytes.fromhex(sys.argv[1])


def packet(text):
    return b"%04x" % (len(text) + 4) + text


class Server(loopback.Handler):
    def serve(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        field = self.path.split("/")[1]

        def put(name, value):
            return evil if field == name else value

        service = b"git-receive-pack" if b"receive" in self.path.encode() else b"git-upload-pack"
        head = packet(b"# service=" + put("service", service) + b"\n") + b"0000"
        refs = b"1" * 40 + b" " + put("ref", b"HEAD") + b"\0symref=HEAD:" + put("capability", b"refs/heads/main") + b"\n"
        body = head + packet(refs) + packet(b"1" * 40 + b" refs/heads/" + put("branch", b"main") + b"\n") + b"0000"
        if field == "err":
            body = head + packet(b"ERR " + evil)
        if field == "length":
            body = evil
        status = {"refused": b"403", "failed": b"500"}.get(field, b"200")
        if self.command == "POST":
            body = packet(b"NAK\n") + packet(b"\2" + put("remark", b"r")) + packet(b"\3" + put("fatal", b"f"))
        if status != b"200":
            body = evil
        kind = put("type", b"application/x-" + service + (b"-result" if self.command == "POST" else b"-advertisement"))
        self.wfile.write(b"HTTP/1.1 " + status + b" " + put("reason", b"R") + b"\r\nContent-Type: " + kind)
        self.wfile.write(b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)


loopback.run(Server)
