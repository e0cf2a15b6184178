#!/usr/bin/env python3
"""Times syncd and rclone bisync on the same Apache, in turn: first sync, nothing changed, 50 edits; with no added round-trip
and with 40 ms. Prints a Markdown table, and the number of requests of each step.

The round-trip is added by a proxy that holds every piece of data for half of it in each direction.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

from long_way import LongWay

EDITS = 50


class Server:
    """Apache with an empty folder."""

    def __init__(self, work):
        self.root, self.run = work / "root", work / "run"
        self.url = subprocess.run(["Scripts/webdav-server.sh", "start", "apache", "--root", self.root, "--run", self.run,
                                   "--owner", str(os.getpid())], check=True, capture_output=True, text=True).stdout.strip()
        self.port = int(self.url.rsplit(":", 1)[1].strip("/"))

    def requests(self):
        return len((self.run / "access.log").read_text().splitlines())


class Tool:
    def __init__(self, name, work, server, port):
        self.name, self.work, self.server, self.port = name, work, server, port

    def prepare(self, corpus):
        mark = f"{self.name.split(',')[0]}-{time.monotonic_ns()}"
        self.home, self.remote = self.work / mark, self.server.root / mark
        self.store, self.state = self.home / "store", self.home / "state"
        self.state.mkdir(parents=True)
        self.remote.mkdir()
        subprocess.run(["cp", "-a", str(corpus), str(self.store)], check=True)
        self.url = f"http://127.0.0.1:{self.port}/{mark}/"
        self.set_up()


class Syncd(Tool):
    def __init__(self, binary, connections, *rest):
        super().__init__(f"syncd, {connections} connections", *rest)
        self.binary, self.connections = binary, connections

    def set_up(self):
        (self.home / "settings.toml").write_text(
            '[syncd]\nstate = "state"\n[store]\npath = "store"\n'
            '[remotes.bench]\nsync = "plain-files"\ncloud = "webdav"\n'
            f'[remotes.bench.webdav]\nurl = "{self.url}"\nproxy = "none"\nconnections = {self.connections}\n')

    def first(self):
        return self.sync()

    def sync(self):
        return [self.binary, "--settings", str(self.home / "settings.toml"), "--once", "--quiet"]


class Rclone(Tool):
    def __init__(self, transfers, *rest):
        super().__init__(f"rclone, {transfers} transfers", *rest)
        self.transfers = transfers

    def set_up(self):
        # Only for this vendor does rclone assume that times are kept, without which bisync does nothing.
        (self.state / "rclone.conf").write_text(f"[dav]\ntype = webdav\nurl = {self.url}\nvendor = owncloud\n")

    def first(self):
        return self.sync() + ["--resync"]

    def sync(self):
        return ["rclone", "bisync", str(self.store), "dav:", "--workdir", str(self.state), "--quiet", "--config",
                str(self.state / "rclone.conf"), "--transfers", str(self.transfers), "--checkers", str(self.transfers)]


def measure(tool, command):
    before = tool.server.requests()
    start = time.perf_counter()
    outcome = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                             env={k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")})
    wall = time.perf_counter() - start
    if outcome.returncode != 0:
        sys.exit(f"{tool.name} failed with {outcome.returncode}: {outcome.stderr.decode(errors='replace')[-2000:]}")
    time.sleep(0.3)
    requests = tool.server.requests() - before
    print(f"{tool.name}: {wall:.2f} s, {requests} requests", file=sys.stderr, flush=True)
    return wall, requests


def edit(tool, run):
    files = sorted(p for p in tool.store.rglob("*.org") if p.stat().st_size > 200)
    for path in files[:: max(1, len(files) // EDITS)][:EDITS]:
        with open(path, "ab") as file:
            file.write(f"* edit {run}\n".encode())


def series(tools, corpus, runs):
    figures = {tool.name: {} for tool in tools}

    def note(step, tool, command):
        figures[tool.name].setdefault(step, []).append(measure(tool, command))

    for run in range(runs):
        for tool in tools:
            tool.prepare(corpus)
            note("first sync", tool, tool.first())
        for tool in tools:
            time.sleep(1)
            measure(tool, tool.sync())
            note("nothing changed", tool, tool.sync())
        for tool in tools:
            edit(tool, run)
            # Both detect changes by size and time; the clock must advance by a second before the next edit.
            time.sleep(1.1)
            note("50 edits", tool, tool.sync())
    return figures


def table(figures, delay):
    steps = list(next(iter(figures.values())))
    lines = []
    for step in steps:
        cells = []
        for name in figures:
            walls, requests = zip(*figures[name][step])
            cells.append(f"{statistics.median(walls):.2f} s, {int(statistics.median(requests))} requests")
        lines.append(f"| {step}, {delay} ms | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--connections", default="16,64")
    parser.add_argument("--transfers", default="16,64")
    parser.add_argument("--delays", default="0,40", help="milliseconds added to each round-trip, one after the other")
    arguments = parser.parse_args()
    work = arguments.work
    corpus = work / "corpus"
    subprocess.run([sys.executable, "Benchmarks/make-org-corpus.py", str(corpus), "--files", str(arguments.files),
                    "--seed", "1", "--large", "0"], check=True, stdout=subprocess.DEVNULL)
    server = Server(work)
    folders = 1 + sum(p.is_dir() for p in corpus.rglob("*"))
    heading = None
    for delay in map(int, arguments.delays.split(",")):
        way = LongWay(server.port, delay)
        tools = [Syncd(arguments.syncd, int(n), work, server, way.port) for n in arguments.connections.split(",")]
        tools += [Rclone(int(n), work, server, way.port) for n in arguments.transfers.split(",")]
        if heading is None:
            heading = "| | " + " | ".join(t.name for t in tools) + " |\n" + "|---" * (len(tools) + 1) + "|"
            print(f"{arguments.files} files in {folders} folders; medians of {arguments.runs} runs.\n\n{heading}", flush=True)
        print("\n".join(table(series(tools, corpus, arguments.runs), delay)), flush=True)
        way.end()
    subprocess.run(["Scripts/webdav-server.sh", "stop", "--run", server.run], check=False)


main()
