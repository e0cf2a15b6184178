#!/usr/bin/env python3
"""Times syncd and Dropbox's own SDK on the same emulated Dropbox, in turn: first sync of many files, nothing changed, 500
edits; with no added round-trip and with 40 ms. Prints a Markdown table, and the number of calls of each step.

rclone cannot be pointed at another address than Dropbox's. The SDK uploads in a loop, as a script would, and with 16
threads; it only sends what it is told to send, so that its times have no finding out in them.
"""
import argparse
import atexit
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import urllib.request

from long_way import LongWay

EDITS = 500


class Emulator:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().removeprefix("URL=")
        self.port = int(self.url.rsplit(":", 1)[1])
        atexit.register(self.process.kill)

    def calls(self):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.url + "/emulator/counts") as answer:
            return sum(json.load(answer).values())

    def end(self):
        self.process.terminate()
        self.process.wait()


class Tool:
    def __init__(self, name, work, port):
        self.name, self.work, self.base = name, work, f"http://127.0.0.1:{port}"

    def prepare(self, corpus):
        self.mark = f"{self.name.split(',')[0].split()[0]}-{time.monotonic_ns()}"
        self.home = self.work / self.mark
        self.store = self.home / "store"
        self.home.mkdir(parents=True)
        subprocess.run(["cp", "-a", str(corpus), str(self.store)], check=True)
        self.set_up()


class Syncd(Tool):
    def __init__(self, binary, *rest):
        super().__init__("syncd", *rest)
        self.binary = binary

    def set_up(self):
        token = self.home / "token"
        token.write_text("test-refresh\n")
        token.chmod(0o600)
        (self.home / "settings.toml").write_text(
            '[syncd]\nstate = "state"\n[store]\npath = "store"\n'
            '[remotes.bench]\nsync = "plain-files"\ncloud = "dropbox"\n'
            f'[remotes.bench.dropbox]\napp-key = "bench"\nroot = "/{self.mark}"\napi-url = "{self.base}"\n'
            'refresh-token = { file = "token" }\nproxy = "none"\n')

    def command(self, _):
        return [self.binary, "--settings", str(self.home / "settings.toml"), "--once", "--quiet"]


class Loop(Tool):
    """Uploads the named files, and remembers their revs for later updates."""

    def __init__(self, python, threads, *rest):
        super().__init__(f"SDK, {threads} threads" if threads > 1 else "SDK in a loop", *rest)
        self.python, self.threads = python, threads

    def set_up(self):
        pass

    def command(self, names):
        (self.home / "names").write_text("\n".join(names))
        return [self.python, str(pathlib.Path(__file__).with_name("dropbox_upload.py")), self.base, "/" + self.mark,
                str(self.home), str(self.threads)]


def measure(tool, emulator, names):
    before, start = emulator.calls(), time.perf_counter()
    outcome = subprocess.run(tool.command(names), stdin=subprocess.DEVNULL, capture_output=True,
                             env={k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")})
    wall = time.perf_counter() - start
    if outcome.returncode != 0:
        sys.exit(f"{tool.name} failed with {outcome.returncode}: {outcome.stderr.decode(errors='replace')[-2000:]}")
    calls = emulator.calls() - before
    print(f"{tool.name}: {wall:.2f} s, {calls} calls", file=sys.stderr, flush=True)
    return wall, calls


def files(tool):
    return sorted(str(path.relative_to(tool.store)) for path in tool.store.rglob("*") if path.is_file())


def edit(tool, run):
    names = files(tool)
    chosen = names[:: max(1, len(names) // EDITS)][:EDITS]
    for name in chosen:
        with open(tool.store / name, "ab") as file:
            file.write(f"* edit {run}\n".encode())
    return chosen


def series(tools, emulator, corpus, runs):
    figures = {tool.name: {} for tool in tools}

    def note(step, tool, names):
        figures[tool.name].setdefault(step, []).append(measure(tool, emulator, names))

    for run in range(runs):
        for tool in tools:
            tool.prepare(corpus)
            note("first sync", tool, files(tool))
        for tool in tools:
            if isinstance(tool, Syncd):
                measure(tool, emulator, [])
                note("nothing changed", tool, [])
        for tool in tools:
            note(f"{EDITS} edits", tool, edit(tool, run))
    return figures


def table(figures, delay):
    lines = []
    for step in next(iter(figures.values())):
        cells = []
        for name in figures:
            if step not in figures[name]:
                cells.append("–")
                continue
            walls, calls = zip(*figures[name][step])
            cells.append(f"{statistics.median(walls):.2f} s, {int(statistics.median(calls))} calls")
        lines.append(f"| {step}, {delay} ms | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--emulator", required=True)
    parser.add_argument("--python", required=True, help="a Python with the Dropbox SDK")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    corpus = arguments.work / "corpus"
    subprocess.run([sys.executable, "Benchmarks/make-org-corpus.py", str(corpus), "--files", str(arguments.files),
                    "--seed", "1", "--large", "0"], check=True, stdout=subprocess.DEVNULL)
    heading = None
    for delay in (0, 40):
        emulator = Emulator(arguments.emulator)
        way = LongWay(emulator.port, delay)
        tools = [Syncd(arguments.syncd, arguments.work, way.port)]
        tools += [Loop(arguments.python, threads, arguments.work, way.port) for threads in (1, 16)]
        if heading is None:
            heading = "| | " + " | ".join(t.name for t in tools) + " |\n" + "|---" * (len(tools) + 1) + "|"
            print(f"{arguments.files} files; medians of {arguments.runs} runs.\n\n{heading}", flush=True)
        print("\n".join(table(series(tools, emulator, corpus, arguments.runs), delay)), flush=True)
        way.end()
        emulator.end()


main()
