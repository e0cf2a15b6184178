"""Answers the calls of Box with one file. The first part of the path names the field that contains the hostile text.

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
            value = {"access_token": put("access-token", "a"), "token_type": put("token-type", "bearer"), "expires_in": 3600}
            if field.startswith("grant-"):
                status = 400
                value = {"error": put("grant-error", "invalid_grant"), "error_description": put("grant-description", "d")}
        elif field[0] == "e" and field[1:].isdigit():
            # e400 to e500: an error whose every member is hostile.
            status = int(field[1:])
            conflict = {"type": evil, "id": evil, "name": evil, "sha1": evil}
            value = {
                "type": "error", "status": status, "code": evil, "message": evil, "request_id": evil, "help_url": evil,
                "context_info": {"conflicts": conflict},
            }
        elif "events" in route:
            source = {"type": put("source", "file"), "id": put("source", "5"), "parent": {"id": put("source", "0")}}
            events = [{"event_type": put("event-type", "ITEM_UPLOAD"), "source": source}]
            value = {"next_stream_position": put("position", "7"), "entries": [] if "=now" in route else events}
        elif "/items" in route:
            value = {
                "entries": [{
                    "type": put("type", "file"), "id": put("id", "5"), "name": put("name", "a.org"), "etag": put("etag", "0"),
                    "sha1": put("sha1", "0" * 40), "size": 2, "file_version": {"id": put("version", "6")},
                    "parent": {"id": put("parent", "0")}, "item_status": put("status", "active"),
                }],
                "next_marker": put("marker", ""),
            }
        elif "/content" in route and self.command == "GET":
            status, headers["Location"] = 302, evil if field == "location" else f"http://127.0.0.1:{self.server.server_port}/{field}/dl"
        else:
            status, value = 404, {"type": "error", "code": "not_found"}
        body = raw if value is None else json.dumps(value).encode()
        if field == "no-json":
            body = raw
        if field == "retry-after":
            status = 429
        self.wfile.write(b"HTTP/1.1 " + str(status).encode() + b" " + (raw if field == "reason" else b"R") + b"\r\n")
        for name, text in headers.items():
            self.wfile.write(name.encode() + b": " + text.encode() + b"\r\n")
        self.wfile.write(b"Retry-After: 0" + (raw if field == "retry-after" else b"") + b"\r\n")
        self.wfile.write(b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)


loopback.run(Server)
