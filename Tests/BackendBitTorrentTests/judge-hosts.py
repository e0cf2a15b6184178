#!/usr/bin/env python3
"""Judges the sync backend bittorrent by what three hosts of a local network have in their files. Prints a line for each check, and
ends with 1 at the first failure, and with 3 if this user or this kernel cannot make the network.

    unshare --net judge-hosts.py --syncd FILE --helper FILE --work FOLDER [--files N] [--kills N] [--seed N]

Every text is written once and known here, so what each file must contain follows from what was done, not from what syncd says.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import time

from hosts import Host, Lan, contents, equal, folder_bytes, wait_until

CANARY = b"canarybird"
PATIENCE = int(os.environ.get("HOSTS_PATIENCE", "180"))


def secret_of(number):
    """The text of a secret: 32 bytes and 4 of its checksum, in Base32."""
    secret = hashlib.sha256(f"secret {number}".encode()).digest()
    check = hashlib.sha256(b"syncd mesh secret" + secret).digest()[:4]
    return "sy1-" + base64.b32encode(secret + check).decode().lower().rstrip("=")


def said(name, text=""):
    print(f"ok   {name}{': ' if text else ''}{text}", flush=True)


def require(condition, name, why):
    if not condition:
        raise SystemExit(f"FAIL {name}: {why}")


class Judge:
    def __init__(self, options):
        self.options, self.random, self.number = options, random.Random(options.seed), 0
        try:
            self.lan = Lan(["ann", "bob", "eve"], [CANARY])
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"cannot make a network: {error}", flush=True)
            sys.exit(3)
        self.hosts = [Host(self.lan, name, options.work, options.syncd, options.helper, secret_of(1))
                      for name in ("ann", "bob", "eve")]
        self.ann, self.bob, self.eve = self.hosts
        self.lines = {}  # each line that was written, and the file in which it belongs
        self.deleted = set()  # names of files that were removed for good

    def line(self):
        self.number += 1
        return f"{CANARY.decode()} {self.number:06}"

    def write(self, host, name):
        """Adds a line to the host's own entry of a file."""
        path, line = host.store / name, self.line()
        mark = f"* Of {host.name}\n"
        fresh = path.with_name(f".{name}.{self.number}.new")
        while True:
            before = path.read_text() if path.exists() else ""
            fresh.write_text(before.replace(mark, f"{mark}{line}\n") if mark in before else before + f"{mark}{line}\n")
            # A version that arrived meanwhile must not be replaced by a text without its lines.
            if (path.read_text() if path.exists() else "") == before:
                break
        os.replace(fresh, path)
        self.lines[line] = name
        return line

    def have(self, hosts, line):
        return all(line.encode() in host.texts().get(self.lines[line], b"") for host in hosts)

    def arrives(self, hosts, line, name):
        return wait_until(lambda: self.have(hosts, line), PATIENCE, f"{name}: '{line}' on {', '.join(h.name for h in hosts)}")

    def settles(self, hosts, name):
        return wait_until(lambda: equal(hosts), PATIENCE, f"{name}: the stores are not equal")

    def is_whole(self, name):
        """Every line is there once, where it belongs, and nothing that was deleted is."""
        for host in self.hosts:
            texts = host.texts()
            found = {}
            for file, text in texts.items():
                require(b"CONFLICT" not in text, name, f"{host.name} has a conflict in {file}: {text[-500:]!r}")
                for match in re.findall(rb"canarybird \d{6}", text):
                    found.setdefault(match.decode(), []).append(file)
            expected = {line: [file] for line, file in self.lines.items()}
            wrong = {line: (expected.get(line), found.get(line)) for line in expected.keys() | found.keys()
                     if expected.get(line) != found.get(line)}
            require(not wrong, name, f"{host.name} has other lines, as (expected, found): {dict(list(wrong.items())[:5])}")
            require(not self.deleted & texts.keys(), name, f"{host.name} has deleted files: {self.deleted & texts.keys()}")

    # The checks, in order; each starts from equal stores.

    def first_sync(self):
        for number in range(self.options.files):
            line = self.line()
            (self.ann.store / f"note-{number}.org").write_text(f"* Of ann\n{line}\n" + f"* Note {number}\nIts text.\n" * 20)
            self.lines[line] = f"note-{number}.org"
        before = self.lan.wire.bytes
        for host in self.hosts:
            host.start()
        start = time.monotonic()
        self.settles(self.hosts, "first sync")
        size = folder_bytes(self.ann.store)
        said("first sync", f"{self.options.files} files, {size:,} bytes, are on all in {time.monotonic() - start:.1f} s, "
             f"{(self.lan.wire.bytes - before) / size:.2f} bytes on the wire for each byte")
        self.is_whole("first sync")

    def one_edit(self):
        times, traffic = [], []
        for number in range(10):
            time.sleep(1)
            before = self.lan.wire.bytes
            line = self.write(self.hosts[number % 3], f"note-{number}.org")
            times.append(self.arrives(self.hosts, line, "one edit"))
            time.sleep(1)
            traffic.append(self.lan.wire.bytes - before)
        said("one edit", f"is on all in {statistics.median(times):.2f} s (at most {max(times):.2f}), "
             f"{statistics.median(traffic):,.0f} bytes on the wire")
        # The edit and the file's row go to two hosts. Other tables, of all files, would be many times as large.
        require(statistics.median(traffic) < 15_000, "one edit", f"the edits took {traffic} bytes")
        self.is_whole("one edit")

    def idle(self):
        """Devices that are linked have nothing to connect for. On a busy machine, a link may be lost and made again."""
        for _ in range(6):
            time.sleep(5)
            before, bytes_before = self.lan.wire.connections, self.lan.wire.bytes
            time.sleep(10)
            made, bytes_sent = self.lan.wire.connections - before, self.lan.wire.bytes - bytes_before
            if made <= 3:
                break
        require(made <= 3, "idle", f"{made} connections were made in 10 s without a change")
        said("idle", f"{bytes_sent:,} bytes on the wire and {made} connections in 10 s without a change")

    def through_the_middle(self):
        self.lan.connect("eve", False)
        line = self.write(self.ann, "note-1.org")
        self.arrives([self.ann, self.bob], line, "through the middle")
        self.lan.connect("ann", False)
        self.lan.connect("eve", True)
        seconds = self.arrives([self.eve], line, "through the middle")
        self.lan.connect("ann", True)
        said("through the middle", f"an edit of ann, who is away, is on eve {seconds:.1f} s after she is back")
        self.settles(self.hosts, "through the middle")

    def a_week_away(self):
        self.eve.stop()
        files = sorted(self.ann.texts())
        for day in range(7):
            for _ in range(20):
                self.write(self.random.choice([self.ann, self.bob]), self.random.choice(files[10:]))
            new = f"day-{day}.org"
            self.write(self.ann, new)
            gone = files[day]
            self.settles([self.ann, self.bob], "a week away")
            (self.bob.store / gone).unlink()
            self.deleted.add(gone)
            self.lines = {line: file for line, file in self.lines.items() if file != gone}
            self.settles([self.ann, self.bob], "a week away")
            self.write(self.eve, self.random.choice(files[10:]))
        self.eve.start()
        seconds = self.settles(self.hosts, "a week away")
        said("a week away", f"147 edits, 7 deletions and 7 edits of the device itself are united in {seconds:.1f} s")
        self.is_whole("a week away")

    def kills(self):
        files = sorted(self.ann.texts())
        for _ in range(self.options.kills):
            victim = self.random.choice(self.hosts)
            for _ in range(self.random.randrange(1, 4)):
                self.write(self.random.choice(self.hosts), self.random.choice(files))
            time.sleep(self.random.random() * 1.5)
            victim.stop(signal.SIGKILL)
            if self.random.random() < 0.5:
                self.write(victim, self.random.choice(files))
            victim.start()
        seconds = self.settles(self.hosts, "kills")
        said("kills", f"{self.options.kills} services were killed between edits; the stores are equal {seconds:.1f} s after the last one")
        self.is_whole("kills")

    def wiped(self):
        self.bob.stop()
        self.bob.wipe()
        self.bob.start()
        seconds = self.settles(self.hosts, "wiped")
        said("wiped", f"a device with an empty disk has everything again in {seconds:.1f} s")
        self.is_whole("wiped")

    def revoked(self):
        """As docs/bittorrent.md says: a new secret on all other devices."""
        for host in (self.ann, self.bob):
            host.stop()
            host.write_secret(secret_of(2))
        before = {path: content for path, content in contents(self.eve.home) if path.suffix == ".org"}
        for host in (self.ann, self.bob):
            host.start()
        self.settles([self.ann, self.bob], "revoked")
        line = self.write(self.ann, "day-1.org")
        own = self.write(self.eve, "day-2.org")
        self.arrives([self.ann, self.bob], line, "revoked")
        time.sleep(5)
        require(not self.have([self.eve], line), "revoked", "the revoked device has a later edit")
        require(not self.have([self.ann], own) and not self.have([self.bob], own), "revoked", "an edit of the revoked device arrived")
        changed = [path for path, text in before.items() if path.name != "day-2.org" and path.read_bytes() != text]
        require(not changed, "revoked", f"the revoked device got changes of {changed}")
        del self.lines[own]
        said("revoked", "a device with the former secret learns nothing more, and changes nothing")

    def is_sealed(self):
        require(self.lan.wire.bytes > 100_000, "sealed", "nothing was seen on the wire")
        require(not self.lan.wire.seen, "sealed", "texts were seen on the wire")
        for host in self.hosts:
            for path, content in contents(host.home / "state" / "data"):
                require(CANARY not in content, "sealed", f"{path} has readable text")
                require(".org" not in path.name, "sealed", f"{path} has the name of a note")
        said("sealed", f"no text was seen in {self.lan.wire.bytes:,} bytes on the wire, nor in the folders of the mesh")

    def end(self):
        for host in self.hosts:
            host.stop()
        self.lan.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--helper", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="a check after the first sync, such as kills; may be repeated")
    options = parser.parse_args()
    judge = Judge(options)
    try:
        judge.first_sync()
        for check in (judge.one_edit, judge.idle, judge.through_the_middle, judge.a_week_away, judge.kills, judge.wiped, judge.revoked,
                      judge.is_sealed):
            if not options.only or check.__name__ in options.only:
                check()
    finally:
        judge.end()


main()
