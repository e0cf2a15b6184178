"""Answers each request with a listing of one file. The first part of the path names the field that contains the hostile text.

Arguments: the text in hexadecimal digits. Prints its port.
"""
import sys

import loopback

evil = bytes.fromhex(sys.argv[1])
# XML forbids ESC.
mild = evil.replace(b"\x1b", b"")
time = b"Sun, 06 Nov 1994 08:49:37 GMT"


class Server(loopback.Handler):
    def serve(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        field = self.path.strip("/").split("/")[0]

        def put(name, value, text=mild):
            return text if field == name else value

        statuses = {"location": b"301", "authenticate": b"401", "body": b"500", "retry": b"503", "refused": b"403"}
        heads = [
            b"Server: " + put("server", b"s", evil),
            b"DAV: " + put("dav", b"1, 2", evil),
            b"Content-Type: " + put("content-type", b"application/xml", evil),
            b"ETag: " + put("etag", b'"1"', evil),
            b"Date: " + put("date", time, evil),
            b"Set-Cookie: " + put("cookie", b"a=b", evil),
            b"Allow: " + put("allow", b"GET", evil),
            b"Lock-Token: " + put("lock-token", b"<a>", evil),
            b"Last-Modified: " + put("last-modified", time, evil),
            put("header-name", b"X", evil) + b": 1",
        ]
        if field == "location":
            heads.append(b"Location: http://127.0.0.1:1/" + evil)
        if field == "authenticate":
            heads.append(b'WWW-Authenticate: Basic realm="' + evil + b'"')
        if field == "retry":
            heads.append(b"Retry-After: 0" + evil)
        body = self.listing(b"/" + field.encode() + b"/", put)
        if field in ("body", "refused"):
            body = evil
        if field == "no-xml":
            body = evil + body
        self.wfile.write(b"HTTP/1.1 " + statuses.get(field, b"207") + b" " + put("reason", b"R", evil) + b"\r\n")
        self.wfile.write(b"\r\n".join(heads) + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n")
        if self.command != "HEAD":
            self.wfile.write(body)

    def listing(self, path, put):
        text = b'<?xml version="1.0"?>' + put("comment", b"", b"<!-- " + mild + b" -->")
        text += put("doctype", b"", b"<!DOCTYPE " + mild + b">")
        text += b'<D:multistatus xmlns:D="DAV:" xmlns:x="' + put("namespace", b"y") + b'">'
        for name, kind in [(b"", b"<D:collection/>"), (put("href", b"a.org"), b"")]:
            text += b"<D:response><D:href>" + path + name + b"</D:href><D:propstat><D:prop>"
            text += b"<D:displayname>" + put("displayname", b"n") + b"</D:displayname>"
            text += b"<D:getetag>" + put("getetag", b'"1"') + b"</D:getetag>"
            text += b"<D:getlastmodified>" + put("getlastmodified", time) + b"</D:getlastmodified>"
            text += b"<D:getcontentlength>" + put("length", b"1") + b"</D:getcontentlength>"
            text += b"<D:resourcetype>" + kind + put("type", b"") + b"</D:resourcetype></D:prop>"
            text += b"<D:status>" + put("propstat", b"HTTP/1.1 200 OK") + b"</D:status></D:propstat>"
            text += b"<D:responsedescription>" + put("description", b"d") + b"</D:responsedescription>"
            text += put("error", b"", b"<D:error><x:e>" + mild + b"</x:e></D:error>") + b"</D:response>"
        return text + b"</D:multistatus>"


loopback.run(Server)
