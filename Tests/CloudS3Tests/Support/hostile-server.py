"""An S3 server that answers wrongly. The bucket's name says how. Prints its port."""
import calendar
import email.utils
import http.server
import time


def listing(bucket, prefix, contents="", more=""):
    truncated = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{more}</NextContinuationToken>" if more else \
        "<IsTruncated>false</IsTruncated>"
    return (f'<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>{bucket}</Name>'
            f"<Prefix>{prefix}</Prefix>{truncated}{contents}</ListBucketResult>").encode()


def item(key, size="4", etag='"abc"'):
    return (f"<Contents><Key>{key}</Key><LastModified>2026-01-15T09:30:00.000Z</LastModified><ETag>{etag}</ETag>"
            f"<Size>{size}</Size></Contents>")


def error(code, more=""):
    return f"<Error><Code>{code}</Code><Message>no</Message>{more}</Error>".encode()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count = 0

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", headers=(), date=None, length=None):
        self.send_response_only(status)
        self.send_header("Date", email.utils.formatdate(date or time.time(), usegmt=True))
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            try:
                self.wfile.write(body)
            except OSError:
                pass
        if length is not None and length != len(body):
            self.close_connection = True

    def do_GET(self):
        Server.count += 1
        bucket = self.path.split("/")[1].split("?")[0]
        prefix = "p/"
        lists = "list-type=2" in self.path
        if bucket == "bomb":
            entities = "".join(f'<!ENTITY e{n} "{"&e%d;" % (n - 1) * 10 if n else "x" * 10}">' for n in range(9))
            return self.answer(200, f"<!DOCTYPE a [{entities}]><ListBucketResult>&e8;</ListBucketResult>".encode())
        if bucket == "deep":
            return self.answer(200, b"<a>" * 100_000)
        if bucket == "endless":
            return self.answer(200, listing(bucket, prefix, more=f"token{Server.count}"))
        if bucket == "same-token":
            return self.answer(200, listing(bucket, prefix, item("p/a"), more="again"))
        if bucket == "no-token":
            body = listing(bucket, prefix).replace(b"false", b"true")
            return self.answer(200, body)
        if bucket == "huge-page":
            return self.answer(200, listing(bucket, prefix, item("p/" + "x" * 1_000) * 10_000))
        if bucket == "stranger":
            return self.answer(200, listing(bucket, prefix, item("q/a.org")))
        if bucket == "other-bucket":
            return self.answer(200, listing("another", prefix, item("p/a.org")))
        if bucket == "no-tag":
            return self.answer(200, listing(bucket, prefix, item("p/a.org", etag="")))
        if bucket == "negative":
            return self.answer(200, listing(bucket, prefix, item("p/a.org", size="-1")))
        if bucket == "cut-xml":
            return self.answer(200, listing(bucket, prefix, item("p/a.org"))[:-30])
        if bucket == "html":
            return self.answer(200, b"<html><body>Sign in</body></html>")
        if bucket == "error-in-200":
            return self.answer(200, error("InternalError"))
        if bucket == "climbing":
            keys = ["p/../evil.org", "p//etc/passwd", "p/a/../../b.org", "p/./c.org", "p/good.org", "p/folder/"]
            return self.answer(200, listing(bucket, prefix, "".join(item(key) for key in keys)))
        if bucket == "archived":
            good = item("p/good.org")
            cold = item("p/cold.org").replace("</Contents>", "<StorageClass>GLACIER</StorageClass></Contents>")
            return self.answer(200, listing(bucket, prefix, good + cold))
        if bucket in ("skew", "always-skew"):
            sent = calendar.timegm(time.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ"))
            now = time.time() - 1_200
            if abs(sent - now) > 900 or bucket == "always-skew":
                return self.answer(403, error("RequestTimeTooSkewed"), date=now)
            return self.answer(200, listing(bucket, prefix, item("p/good.org")), date=now)
        if bucket == "region":
            if "/eu-central-1/" not in self.headers["Authorization"]:
                return self.answer(400, error("AuthorizationHeaderMalformed", "<Region>eu-central-1</Region>"))
            return self.answer(200, listing(bucket, prefix, item("p/good.org")))
        if bucket == "redirect":
            return self.answer(307, headers=[("Location", "http://evil.example.org/")])
        if lists:
            return self.answer(200, listing(bucket, prefix, item("p/a.org", size="10")))
        tag = [("ETag", '"abc"')]
        if bucket == "short":
            return self.answer(200, b"12345", tag, length=10)
        if bucket == "empty-head":
            return self.answer(404)
        if bucket == "no-etag":
            return self.answer(200, b"1234567890")
        return self.answer(500, error("InternalError"))

    do_HEAD = do_GET

    def do_PUT(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer(500, error("InternalError"))

    do_DELETE = do_PUT


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
print(server.server_address[1], flush=True)
server.serve_forever()
