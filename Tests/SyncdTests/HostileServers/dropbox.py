"""Answers the calls of Dropbox with one file. The first part of the path names the field that contains the hostile text.

Arguments: the text in hexadecimal digits. Prints its port.
"""
import json
import sys

import loopback

raw = bytes.fromhex(sys.argv[1])
evil = raw.decode()


class Server(loopback.Handler):
    def serve(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        _, field, *route = self.path.split("/")
        route = "/".join(route)

        def put(name, value):
            return evil if field == name else value

        status, value = 200, None
        headers = {"Content-Type": "application/json"}
        if route == "oauth2/token":
            value = {"access_token": put("access-token", "a"), "token_type": put("token-type", "bearer"), "expires_in": 9}
            if field.startswith("grant-"):
                status = 400
                value = {"error": put("grant-error", "invalid_grant"), "error_description": put("grant-description", "d")}
        elif field.startswith("e"):
            # e400 to e500: an error whose every member is hostile.
            status = int(field[1:4])
            value = {
                "error_summary": put(field, "s"), "user_message": {"text": evil, "locale": evil},
                "error": {".tag": evil, "reason": {".tag": evil}, "required_scope": evil, "retry_after": 0},
            }
            if field.endswith("scope"):
                value["error_summary"] = "missing_scope/."
            if field.endswith("body"):
                value = None
        elif route == "files/list_folder":
            value = {
                "entries": [{
                    ".tag": put("tag", "file"), "name": put("name", "a.org"), "id": put("id", "id:1"),
                    "path_lower": put("path-lower", "/a.org"), "path_display": put("path-display", "/a.org"),
                    "rev": put("rev", "0123456789"), "size": 2, "content_hash": put("content-hash", "0" * 64),
                    "client_modified": put("client-modified", "2020-01-01T00:00:00Z"),
                    "server_modified": put("server-modified", "2020-01-01T00:00:00Z"), "is_downloadable": True,
                }],
                "cursor": put("cursor", "c"), "has_more": field == "cursor",
            }
        elif route == "files/download":
            headers["Dropbox-API-Result"] = json.dumps({"name": evil, "path_lower": evil, "rev": evil, "size": 2})
        else:
            status, value = 409, {"error_summary": put("summary", "path/not_found/."), "error": {".tag": evil}}
        body = raw if value is None else json.dumps(value).encode()
        if field == "no-json":
            body = raw
        if field == "retry-after":
            status = 429
        self.wfile.write(b"HTTP/1.1 " + str(status).encode() + b" " + (raw if field == "reason" else b"R") + b"\r\n")
        for name, value in headers.items():
            self.wfile.write(name.encode() + b": " + value.encode() + b"\r\n")
        self.wfile.write(b"X-Dropbox-Request-Id: " + (raw if field == "request-id" else b"1") + b"\r\n")
        self.wfile.write(b"Retry-After: 0" + (raw if field == "retry-after" else b"") + b"\r\n")
        self.wfile.write(b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)


loopback.run(Server)
