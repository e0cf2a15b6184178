#!/usr/bin/env python3
"""A push service on loopback, and the browsers that it serves: it refuses what a real service would refuse (RFC 8030, RFC 8292), and
opens what it is sent with the keys of the browser (RFC 8188, RFC 8291).

  push-service.py       prints the port at which it listens

    GET  /subscription     a new subscription, as PushManager.subscribe() gives it
    POST /push/ID          a message; 201, or a status with the reason
    GET  /received         the messages that were opened: [{"id", "text", "ttl", "urgency", "topic", "contact"}]
    GET  /attempts         the number of messages that came, opened or not
    POST /answer           {"status": 410, "times": 1, "fields": {"Retry-After": "2"}}: the next messages are answered so

Needs the module cryptography; Python's standard library else.
"""
import base64, http.server, json, os, threading, time
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

LARGEST = 4096


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def derived(secret, salt, info, size):
    return HKDF(algorithm=hashes.SHA256(), length=size, salt=salt, info=info).derive(secret)


class Refused(Exception):
    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def need(condition, status, reason):
    if not condition:
        raise Refused(status, reason)


def opened(body, key, auth):
    """The text of a message of one record (RFC 8188, section 2; RFC 8291, section 3)."""
    salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
    sender, record = body[21:21 + length], body[21 + length:]
    need(17 < len(record) <= size, 400, f"the record has {len(record)} bytes, its header says {size}")
    shared = key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
    secret = derived(shared, auth, b"WebPush: info\0" + point(key.public_key()) + sender, 32)
    content = AESGCM(derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)).decrypt(
        derived(secret, salt, b"Content-Encoding: nonce\0", 12), record, None).rstrip(b"\0")
    need(content.endswith(b"\x02"), 400, "the last record does not end with 2")
    return content[:-1]


def sender_of(field, origin):
    """The key and the claims of a token that proves itself and is meant for this service (RFC 8292)."""
    need(field.startswith("vapid "), 401, "Authorization is not of the scheme vapid")
    parts = dict(part.strip().split("=", 1) for part in field[6:].split(","))
    head, claims, signature = parts["t"].split(".")
    need(json.loads(decoded(head)) == {"typ": "JWT", "alg": "ES256"}, 401, "the token is not a JWT with ES256")
    halves = decoded(signature)
    need(len(halves) == 64, 401, "the signature has not 64 bytes")
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(parts["k"]))
    numbers = utils.encode_dss_signature(int.from_bytes(halves[:32], "big"), int.from_bytes(halves[32:], "big"))
    try:
        key.verify(numbers, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise Refused(401, "the signature is wrong")
    said = json.loads(decoded(claims))
    need(said.get("aud") == origin, 401, f"aud is {said.get('aud')!r} instead of {origin!r}")
    need(time.time() < said["exp"] <= time.time() + 86_400, 401, "exp is past or more than a day away")
    return parts["k"], said


class Service(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.lock, self.browsers, self.senders, self.received, self.attempts, self.plan = threading.Lock(), {}, {}, [], 0, {"times": 0}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value=None, fields={}):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, content in {"Content-Length": str(len(body)), "Content-Type": "application/json", **fields}.items():
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        service = self.server
        if self.path == "/received":
            return self.answer(200, service.received)
        if self.path == "/attempts":
            return self.answer(200, service.attempts)
        key, auth, name = ec.generate_private_key(ec.SECP256R1()), os.urandom(16), encoded(os.urandom(12))
        service.browsers[name] = (key, auth)
        self.answer(200, {"endpoint": f"{service.origin}/push/{name}", "keys": {"p256dh": encoded(point(key.public_key())), "auth": encoded(auth)}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        service = self.server
        with service.lock:
            if self.path == "/answer":
                service.plan = {"times": 1, "fields": {}, **json.loads(body)}
                return self.answer(204)
            service.attempts += 1
            if service.plan["times"] > 0:
                service.plan["times"] -= 1
                return self.answer(service.plan["status"], {"reason": "as told"}, service.plan["fields"])
            try:
                service.received.append(self.taken(self.path.removeprefix("/push/"), body))
                self.answer(201)
            except Refused as refused:
                self.answer(refused.status, {"reason": str(refused)})
            except Exception as error:  # what cannot be read is the sender's mistake
                self.answer(400, {"reason": repr(error)})

    def taken(self, name, body):
        service, fields = self.server, self.headers
        need(name in service.browsers, 404, "no such subscription")
        need(fields.get("TTL", "").isdigit(), 400, "no TTL")
        need(fields.get("Content-Encoding") == "aes128gcm", 415, "Content-Encoding is not aes128gcm")
        need(len(body) <= LARGEST, 413, f"more than {LARGEST} bytes")
        need(fields.get("Urgency") in ("very-low", "low", "normal", "high"), 400, "no such Urgency")
        need(0 < len(fields.get("Topic", "")) <= 32, 400, "no Topic of at most 32 characters")
        sender, claims = sender_of(fields.get("Authorization", ""), service.origin)
        need(service.senders.setdefault(name, sender) == sender, 403, "another key than the one that the subscription knows")
        return {"id": name, "text": opened(body, *service.browsers[name]).decode(), "ttl": int(fields["TTL"]),
                "urgency": fields["Urgency"], "topic": fields["Topic"], "contact": claims.get("sub")}


service = Service()
print(service.server_port, flush=True)
service.serve_forever()
