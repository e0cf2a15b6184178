"""Measures tools that sync a folder with a server, in turn: first sync, nothing changed, 50 edits. Shared by the benchmarks
of servers."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

from long_way import LongWay

EDITS = 50
# The servers are on this machine, and no settings of other services apply to them.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith("AWS_")}


class Tool:
    """A tool that syncs `store` with `remote`. A subclass says how: `set_up`, `sync`, and `first` if that differs."""

    def __init__(self, name, place):
        self.name, self.place = name, place

    def prepare(self, corpus):
        mark = f"{self.name.split(',')[0].replace(' ', '-')}-{time.monotonic_ns()}"
        self.home = self.place.work / mark
        self.store, self.state = self.home / "store", self.home / "state"
        self.state.mkdir(parents=True)
        subprocess.run(["cp", "-a", str(corpus), str(self.store)], check=True)
        self.remote = self.place.create(mark)
        self.set_up()

    def set_up(self):
        pass

    def environment(self):
        return ENVIRONMENT

    def first(self):
        return self.sync()


class Syncd(Tool):
    """syncd with settings of its remote, which the place gives."""

    def __init__(self, binary, place, note=""):
        super().__init__(f"syncd{note}", place)
        self.binary = binary

    def set_up(self):
        (self.home / "settings.toml").write_text(
            '[syncd]\nstate = "state"\n[store]\npath = "store"\n[remotes.bench]\nsync = "plain-files"\n'
            + self.place.settings(self))

    def sync(self):
        return [self.binary, "--settings", str(self.home / "settings.toml"), "--once", "--quiet"]


class Rclone(Tool):
    """rclone bisync, whose remote the place describes."""

    def __init__(self, transfers, place):
        super().__init__(f"rclone, {transfers} transfers", place)
        self.transfers = transfers

    def set_up(self):
        (self.state / "rclone.conf").write_text(f"[bench]\n{self.place.rclone(self)}")

    def first(self):
        return self.sync() + ["--resync"]

    def sync(self):
        return ["rclone", "bisync", str(self.store), f"bench:{self.place.rclone_path(self)}", "--workdir", str(self.state),
                "--quiet", "--config", str(self.state / "rclone.conf"), "--transfers", str(self.transfers),
                "--checkers", str(self.transfers)]


def measure(tool, command):
    before = tool.place.traffic()
    start = time.perf_counter()
    outcome = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=tool.environment())
    wall = time.perf_counter() - start
    if outcome.returncode != 0:
        sys.exit(f"{tool.name} failed with {outcome.returncode}: {outcome.stderr.decode(errors='replace')[-2000:]}")
    time.sleep(0.3)
    traffic = tool.place.traffic() - before
    print(f"{tool.name}: {wall:.2f} s, {traffic:,} {tool.place.unit}", file=sys.stderr, flush=True)
    return wall, traffic


def edit(tool, run):
    files = sorted(p for p in tool.store.rglob("*.org") if p.stat().st_size > 200)
    for path in files[:: max(1, len(files) // EDITS)][:EDITS]:
        with open(path, "ab") as file:
            file.write(f"* edit {run}\n".encode())


def series(tools, corpus, runs, edits=True):
    figures = {tool.name: {} for tool in tools}

    def note(step, tool, command):
        figures[tool.name].setdefault(step, []).append(measure(tool, command))

    for run in range(runs):
        for tool in tools:
            tool.prepare(corpus)
            note("first sync", tool, tool.first())
        for tool in tools:
            # A file that was written within the last clock ticks is looked at again.
            time.sleep(tool.place.settling)
            measure(tool, tool.sync())
            note("nothing changed", tool, tool.sync())
        for tool in tools if edits else []:
            edit(tool, run)
            # Tools detect changes by size and time; the clock must advance by a second before the next edit.
            time.sleep(1.1)
            note(f"{EDITS} edits", tool, tool.sync())
    return figures


def table(figures, delay, unit):
    lines = []
    for step in next(iter(figures.values())):
        cells, ours = [], None
        for name in figures:
            walls, traffic = zip(*figures[name][step])
            wall = statistics.median(walls)
            ours = ours or wall
            ratio = "" if name.startswith("syncd") else f" ({ours / wall:.2f} ×)"
            cells.append(f"{wall:.2f} s{ratio}, {int(statistics.median(traffic)):,} {unit}")
        lines.append(f"| {step}, {delay} ms | " + " | ".join(cells) + " |")
    return lines


def corpus(work, files, folders):
    """Writes generated Org files, or small ones in this number of folders; returns the folder."""
    folder = work / "corpus"
    if folders:
        for index in range(files):
            (folder / f"folder-{index % folders}").mkdir(parents=True, exist_ok=True)
            (folder / f"folder-{index % folders}" / f"note-{index}.org").write_text(f"* Note {index}\n" + "Its text.\n" * 40)
    else:
        subprocess.run([sys.executable, "Benchmarks/make-org-corpus.py", str(folder), "--files", str(files),
                        "--seed", "1", "--large", "0"], check=True, stdout=subprocess.DEVNULL)
    return folder


def main(description, place, tools, options=lambda parser: None):
    """Runs a benchmark: `place(arguments, work)` starts the server, `tools(arguments, place)` makes the tools, syncd first."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--folders", type=int, help="small files in this number of folders, without the edits")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--transfers", default="16,64", help="rclone's transfers, one column for each number")
    parser.add_argument("--delays", default="0,40", help="milliseconds added to each round-trip, one after the other")
    options(parser)
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    files = corpus(work, arguments.files, arguments.folders)
    server = place(arguments, work)
    heading = None
    try:
        for delay in map(int, arguments.delays.split(",")):
            way = LongWay(server.own_port, delay, counts=server.unit == "bytes")
            server.port, server.way = way.port, way
            columns = tools(arguments, server)
            if heading is None:
                heading = "| | " + " | ".join(t.name for t in columns) + " |\n" + "|---" * (len(columns) + 1) + "|"
                folders = 1 + sum(p.is_dir() for p in files.rglob("*"))
                print(f"{arguments.files} files in {folders} folders; medians of {arguments.runs} runs; in brackets syncd's time "
                      f"as a multiple.\n\n{heading}", flush=True)
            figures = series(columns, files, arguments.runs, edits=not arguments.folders)
            print("\n".join(table(figures, delay, server.unit)), flush=True)
            way.end()
    finally:
        server.stop()


class Place:
    """A server. A subclass starts it in `__init__`, sets `own_port`, and describes its remotes."""

    unit = "bytes"
    # Seconds after which a written file is known by its time.
    settling = 1.0

    def traffic(self):
        return self.way.bytes
