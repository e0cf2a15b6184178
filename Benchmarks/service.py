#!/usr/bin/env python3
"""Runs syncd as a service over many files in a folder remote: how long an edit takes to arrive, what the service costs while
nothing happens, and whether it grows over many passes. Prints a Markdown table.

An edit is a rename over the file, as editors save. Its time is taken from there until the other side has the text; the quiet
time, which the service waits on purpose, is told apart. Idle figures are those of the kernel (/proc/PID/stat and io).
"""
import argparse
import json
import os
import pathlib
import random
import socket
import statistics
import subprocess
import sys
import time

QUIET = 0.5


class Service:
    def __init__(self, binary, work):
        self.work = work
        (work / "remote").mkdir(exist_ok=True)
        (work / "settings.toml").write_text(
            f'[syncd]\nstate = "state"\nquiet = "{int(QUIET * 1000)}ms"\n[store]\npath = "store"\n'
            '[remotes.bench]\nsync = "plain-files"\ncloud = "folder"\n[remotes.bench.folder]\npath = "remote"\ncreate = true\n')
        self.command = [binary, "--settings", str(work / "settings.toml")]
        subprocess.run(self.command + ["--once", "--quiet", "--timeout", "1h"], check=True)
        self.start()

    def start(self):
        """Returns the seconds until the service answers, and until it has finished a pass."""
        start = time.monotonic()
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while self.ask({"do": "status"}) is None:
            time.sleep(0.002)
        answers = time.monotonic() - start
        self.ask({"do": "sync"})
        self.connection = self.connect()
        return answers, time.monotonic() - start

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self.work / "state" / "control"))
        return connection

    def ask(self, request, connection=None):
        """The answer to a request; None while no one listens."""
        try:
            connection = connection or self.connect()
        except OSError:
            return None
        connection.sendall((json.dumps(request) + "\n").encode())
        answer = b""
        while not answer.endswith(b"\n"):
            piece = connection.recv(65536)
            if not piece:
                return None
            answer += piece
        return json.loads(answer)

    def passes(self, count):
        for _ in range(count):
            if not self.ask({"do": "sync"}, self.connection)["ok"]:
                sys.exit("the service does not sync")

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def written(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/io").read_text()
        return int(text.split("write_bytes: ")[1].split()[0])

    def memory(self):
        """Present and peak resident memory in MiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return tuple(int(text.split(f"{key}:")[1].split()[0]) / 1024 for key in ("VmRSS", "VmHWM"))

    def end(self):
        self.process.terminate()
        self.process.wait()


def latency(work, here, there, runs):
    """Seconds from a save in one folder until the other one has it, minus the quiet time."""
    files = sorted(path.relative_to(work / here) for path in (work / here).rglob("*.org"))
    generator = random.Random(7)
    times = []
    for number in range(runs):
        path = generator.choice(files)
        text = (work / here / path).read_bytes() + f"* {here} {number}\n".encode()
        aside = work / here / path.parent / f".#saving-{number}"
        aside.write_bytes(text)
        time.sleep(1.0 + generator.random())
        start = time.monotonic()
        aside.rename(work / here / path)
        while (work / there / path).read_bytes() != text:
            time.sleep(0.002)
            if time.monotonic() - start > 60:
                sys.exit(f"{path} did not arrive within a minute")
        times.append(time.monotonic() - start - QUIET)
    return times


def restarts(service, count):
    """The time that the service needs after `kill -9`, a moment after a save."""
    times = []
    for number in range(count):
        (service.work / "store" / "killed.org").write_text(f"* Kill {number}\n")
        time.sleep(random.Random(number).random())
        service.process.kill()
        service.process.wait()
        times.append(service.start())
    return times


def milliseconds(times):
    times = sorted(times)
    return f"{statistics.median(times) * 1000:.0f} ms, nine in ten within {times[int(len(times) * 0.9)] * 1000:.0f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--idle", type=int, default=600, help="seconds")
    parser.add_argument("--passes", type=int, default=10_000)
    arguments = parser.parse_args()
    work = arguments.work
    subprocess.run([sys.executable, "Benchmarks/make-org-corpus.py", str(work / "store"), "--files", str(arguments.files),
                    "--large", "0", "--seed", "1"], check=True, stdout=subprocess.DEVNULL)
    service = Service(arguments.syncd, work)
    print(f"| a service over {arguments.files:,} files | |\n|---|---|", flush=True)
    up = latency(work, "store", "remote", arguments.edits)
    print(f"| an edit in the store reaches the remote, beyond the quiet time | {milliseconds(up)} |", flush=True)
    down = latency(work, "remote", "store", arguments.edits)
    print(f"| an edit in the remote reaches the store, likewise | {milliseconds(down)} |", flush=True)
    time.sleep(15)
    cpu, written = service.cpu(), service.written()
    time.sleep(arguments.idle)
    cpu, written = service.cpu() - cpu, service.written() - written
    now, peak = service.memory()
    print(f"| idle for {arguments.idle} s: processor time | {cpu:.2f} s, {cpu / arguments.idle * 100:.3f} % |")
    print(f"| idle: written to the disk | {written} bytes |")
    print(f"| memory: now, at its largest | {now:.0f} MiB, {peak:.0f} MiB |", flush=True)
    answers, works = zip(*restarts(service, 50))
    print(f"| killed 50 times: starts to answer within | {max(answers) * 1000:.0f} ms |")
    print(f"| killed 50 times: has made its first pass within | {max(works) * 1000:.0f} ms |", flush=True)
    service.end()
    small = work / "small"
    (small / "store").mkdir(parents=True)
    for number in range(10):
        (small / "store" / f"{number}.org").write_text(f"* Note {number}\n")
    service = Service(arguments.syncd, small)
    service.passes(arguments.passes // 10)
    before = service.memory()[0]
    service.passes(arguments.passes)
    after = service.memory()[0]
    print(f"| {arguments.passes:,} passes over ten files: memory before and after | {before:.1f} MiB, {after:.1f} MiB |")
    service.end()


if __name__ == "__main__":
    main()
