"""Answers like S3, GitHub or Forgejo. The first part of the path, a bucket or the address of the API, names the field that contains the
hostile text.

Arguments: the text in hexadecimal digits. Prints its port.
"""
import json
import sys

import loopback

evil = bytes.fromhex(sys.argv[1])
text = evil.decode()
# XML forbids ESC.
mild = evil.replace(b"\x1b", b"").decode()
time = "2026-01-01T00:00:00.000Z"


class Server(loopback.Handler):
    def serve(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.field = self.path.split("?")[0].strip("/").split("/")[0]
        heads = {"location": b"Location: http://127.0.0.1:1/" + evil, "region": b"x-amz-bucket-region: " + evil}
        heads |= {"etag": b"ETag: " + evil, "request-id": b"x-amz-request-id: " + evil, "retry": b"Retry-After: 0" + evil}
        status = {"location": 301, "region": 301, "retry": 503, "g401": 401, "g403": 403, "g404": 404, "g409": 409, "g422": 422,
                  "g500": 500, "code": 403, "message": 403, "s403": 403, "s404": 404, "s500": 500, "s400": 400}.get(self.field, 200)
        body = self.s3(status) if self.field.startswith("s3-") or self.field in self.S3 else self.github(status)
        if self.field in ("no-json", "s3-body"):
            body = evil
        head = b"HTTP/1.1 %d " % status + (evil if self.field == "reason" else b"R") + b"\r\nContent-Type: application/json\r\n"
        if self.field in heads:
            head += heads[self.field] + b"\r\n"
        self.wfile.write(head + b"Content-Length: %d\r\n\r\n" % len(body))
        if self.command != "HEAD":
            self.wfile.write(body)

    S3 = ["code", "message", "s403", "s404", "s500", "s400", "region", "request-id", "location", "retry", "reason"]

    def put(self, field, value, hostile=text):
        return hostile if self.field == field else value

    def s3(self, status):
        put = lambda field, value: self.put(field, value, mild)
        if status != 200:
            code = mild if self.field == "code" else {403: "AccessDenied", 404: "NoSuchBucket", 301: "PermanentRedirect"}.get(status, mild)
            return f"<Error><Code>{code}</Code><Message>{mild}</Message><Region>{mild}</Region><Endpoint>{mild}</Endpoint></Error>".encode()
        object = f"<Key>{put('s3-key', 'a.org')}</Key><ETag>{put('s3-tag', '1')}</ETag><Size>{put('s3-size', '2')}</Size>"
        object += f"<LastModified>{put('s3-time', time)}</LastModified><StorageClass>{put('s3-class', 'STANDARD')}</StorageClass>"
        token = "<IsTruncated>true</IsTruncated><NextContinuationToken>" + mild + "</NextContinuationToken>"
        head = f"<Name>{put('s3-name', self.field)}</Name><Prefix>{put('s3-prefix', '')}</Prefix>"
        head += token if self.field == "s3-token" else "<IsTruncated>false</IsTruncated>"
        return f"<ListBucketResult>{head}<Contents>{object}</Contents></ListBucketResult>".encode()

    def github(self, status):
        put, path = self.put, self.path.split("?")[0]
        if status != 200:
            return json.dumps({"message": text, "documentation_url": text, "errors": [{"message": text, "code": text}]}).encode()
        last, id = path.split("/")[-1], "1" * 40
        if "/git/trees/" in path:
            entry = {"path": put("path", "a.org"), "mode": put("mode", "100644"), "type": put("type", "blob"), "sha": put("blob", id)}
            return json.dumps({"sha": put("tree", last), "tree": [entry], "truncated": False, "page": 1}).encode()
        if "/git/commits/" in path:
            tree = {"sha": put("commit-tree", id)}
            return json.dumps({"sha": put("commit", last), "tree": tree, "commit": {"tree": tree}, "parents": []}).encode()
        if "/git/ref/" in path:
            return json.dumps({"ref": put("ref", "refs/heads/main"), "object": {"type": put("object", "commit"), "sha": put("sha", id)}}).encode()
        if "/branches/" in path:
            commit = {"id": put("branch-id", id)}
            return json.dumps({"name": put("branch-name", "main"), "commit": commit, "protected": False}).encode()
        names = {"full_name": put("full-name", "ann/notes"), "default_branch": put("branch", "main")}
        return json.dumps(names | {"object_format_name": put("format", "sha1")}).encode()


loopback.run(Server)
