#!/usr/bin/env python3
"""TLS servers on loopback ports, each with something wrong. Prints one line of JSON: the ports by kind, and `ca`, the file of the
authority that signed all certificates except `self-signed`.

  good            nothing is wrong; its /seen tells how many requests each kind has received
  expired         the certificate's time is over
  early           the certificate is not valid yet
  other-name      the certificate is for another host
  self-signed     the certificate has no authority
  no-authority    signed by the good certificate, which is no authority
  tls-1.1         only TLS 1.1 and older
  plain           HTTP without TLS
  old-then-plain  closes a TLS handshake at once, and answers in clear text otherwise, as an attacker who wants a downgrade

Python's standard library and openssl only.
"""
import collections, http.server, json, os, shutil, signal, ssl, subprocess, sys, tempfile, threading

seen = collections.Counter()
folder = tempfile.mkdtemp(prefix="tls-peers-")
key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


def openssl(*words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def certificate(name, host="IP:127.0.0.1", days=2, issuer="ca", clock=None):
    openssl("req", *key, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    with open(f"{folder}/{name}.ext", "w") as file:
        file.write(f"subjectAltName={host}\nbasicConstraints=CA:FALSE\n")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-CAcreateserial",
            "-days", str(days), "-extfile", f"{name}.ext", "-out", f"{name}.pem")


def early(name):
    """A certificate that begins tomorrow; only `openssl ca` can set the beginning."""
    import datetime
    start, end = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=d) for d in (1, 3))
    openssl("req", *key, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    open(f"{folder}/index", "w").close()
    with open(f"{folder}/ca.cnf", "w") as file:
        file.write("[ca]\ndefault_ca=a\n[a]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n"
                   "x509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=IP:127.0.0.1\n")
    openssl("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.csr", "-out",
            f"{name}.pem", "-notext", "-create_serial", "-startdate", start.strftime("%Y%m%d%H%M%SZ"), "-enddate",
            end.strftime("%Y%m%d%H%M%SZ"))


class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_GET(self):
        kind = self.server.kind
        body = json.dumps(seen).encode() if self.path == "/seen" else b"hello"
        if self.path != "/seen": seen[kind] += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Peer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, kind, context=None):
        super().__init__(("127.0.0.1", 0), Server)
        self.kind, self.context = kind, context
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, request, address):
        if self.kind == "old-then-plain":
            first = request.recv(1, 2)  # MSG_PEEK
            if first == b"\x16":
                request.close()
                return
        if self.context: request = self.context.wrap_socket(request, server_side=True)
        super().finish_request(request, address)

    def handle_error(self, request, address): pass


def context(name):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
    return made


def peers():
    openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
            "-keyout", "ca.key", "-out", "ca.pem")
    certificate("good")
    certificate("expired", days=-1)
    early("early")
    certificate("other-name", host="DNS:dav.example.org,IP:192.0.2.1")
    openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
            "self-signed.key", "-out", "self-signed.pem")
    certificate("no-authority", issuer="good")
    with open(f"{folder}/no-authority.pem", "a") as file, open(f"{folder}/good.pem") as issuer:
        file.write(issuer.read())
    kinds = {name: context(name) for name in ["good", "expired", "early", "other-name", "self-signed", "no-authority"]}
    old = context("good")
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    kinds |= {"tls-1.1": old, "plain": None, "old-then-plain": None}
    return {kind: Peer(kind, made).server_address[1] for kind, made in kinds.items()}


def end(*_):
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


signal.signal(signal.SIGTERM, end)
print(json.dumps(peers() | {"ca": f"{folder}/ca.pem"}), flush=True)
signal.pause()
