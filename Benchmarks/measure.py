#!/usr/bin/env python3
"""Times syncd, Unison, rclone bisync and rsync on the same work, in turn, and prints a Markdown table.

Every figure of a tool is the median over the runs; `cpu` is user plus system time of the process and its children, `peak`
the largest resident set of any of its processes (what wait4(2) says). A tool that fails ends the whole run.
"""
import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time


class Tool:
    """One program with its own pair of folders and state."""

    def __init__(self, name, work):
        self.name = name
        self.work = work

    def prepare(self, corpus):
        """Starts again in new folders: a file system is slow where many files were just deleted."""
        self.home = self.work / f"{self.name}-{time.monotonic_ns()}"
        self.left, self.right, self.state = self.home / "store", self.home / "remote", self.home / "state"
        self.home.mkdir(parents=True)
        self.state.mkdir()
        self.right.mkdir()
        subprocess.run(["cp", "-a", str(corpus), str(self.left)], check=True)

    def first(self):
        return self.sync()

    def env(self):
        return {}


class Syncd(Tool):
    def __init__(self, binary, work):
        super().__init__("syncd", work)
        self.binary = binary

    def prepare(self, corpus):
        super().prepare(corpus)
        (self.home / "settings.toml").write_text(
            '[syncd]\nstate = "state"\n[store]\npath = "store"\n'
            '[remotes.bench]\nsync = "plain-files"\ncloud = "folder"\n[remotes.bench.folder]\npath = "remote"\ncreate = true\n')

    def sync(self):
        return [self.binary, "--settings", str(self.home / "settings.toml"), "--once", "--quiet"]


class Unison(Tool):
    def __init__(self, work):
        super().__init__("unison", work)

    def sync(self):
        return ["unison", str(self.left), str(self.right), "-batch", "-silent", "-times",
                "-merge", "Name *.org -> diff3 -m CURRENT1 CURRENTARCH CURRENT2 > NEW || true",
                "-backupcurr", "Name *.org"]

    def env(self):
        return {"UNISON": str(self.state)}


class Rclone(Tool):
    def __init__(self, work):
        super().__init__("rclone", work)

    def first(self):
        return self.sync() + ["--resync"]

    def sync(self):
        return ["rclone", "bisync", str(self.left), str(self.right), "--workdir", str(self.state), "--quiet",
                "--config", str(self.state / "rclone.conf")]


class Rsync(Tool):
    """One direction only: the minimum that any tool has to do."""

    def __init__(self, work):
        super().__init__("rsync", work)

    def sync(self):
        return ["rsync", "-a", f"{self.left}/", f"{self.right}/"]


class Find(Tool):
    """Reads the metadata of every file of both trees and does nothing."""

    def __init__(self, work):
        super().__init__("find", work)

    def sync(self):
        return ["find", str(self.left), str(self.right), "-printf", "%p %s %T@\n"]


def measure(tool, command):
    env = dict(os.environ, **tool.env())
    start = time.perf_counter()
    child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{tool.name} failed with {child.returncode}: {errors.decode(errors='replace')[-2000:]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def org_files(folder):
    return sorted(p for p in folder.rglob("*.org") if p.is_file() and p.stat().st_size > 200)


def edit(path, text):
    with open(path, "ab") as file:
        file.write(text.encode())


def settle():
    """Lets the clock of the file system advance, and the disk finish earlier writes."""
    os.sync()
    time.sleep(0.05)


class Bench:
    def __init__(self, tools, corpus, runs):
        self.tools, self.corpus, self.runs = tools, corpus, runs
        self.figures = {}

    def note(self, step, tool, figure):
        self.figures.setdefault(step, {}).setdefault(tool.name, []).append(figure)

    def step(self, name, tools, before=lambda tool, run: None):
        for run in range(self.runs):
            for tool in tools:
                before(tool, run)
                settle()
                self.note(name, tool, measure(tool, tool.sync()))

    def first(self):
        for run in range(self.runs):
            for tool in self.tools:
                tool.prepare(self.corpus)
                settle()
                self.note("first sync", tool, measure(tool, tool.first()))

    def one_each(self, tool, run):
        left, right = org_files(tool.left), org_files(tool.right)
        edit(left[run], f"* edit {run} in the store\n")
        edit(right[-1 - run], f"* edit {run} on the remote\n")

    def thousand(self, tool, run):
        files = org_files(tool.left)
        for path in files[:: max(1, len(files) // 1000)][:1000]:
            edit(path, f"* mass edit {run}\n")

    def table(self):
        lines = ["| | " + " | ".join(t.name for t in self.tools) + " |", "|---" * (len(self.tools) + 1) + "|"]
        for step, tools in self.figures.items():
            for index, (unit, factor, digits) in enumerate([("wall, s", 1, 3), ("cpu, s", 1, 3), ("peak, MiB", 1 / 1024, 0)]):
                mine = statistics.median(f[index] for f in tools["syncd"])
                cells = []
                for tool in self.tools:
                    if tool.name not in tools:
                        cells.append("–")
                        continue
                    value = statistics.median(f[index] for f in tools[tool.name])
                    text = f"{value * factor:.{digits}f}"
                    if tool.name != "syncd" and value > 0:
                        text += f" ({mine / value:.2f} ×)"
                    cells.append(text)
                lines.append(f"| {step}: {unit} | " + " | ".join(cells) + " |")
        return "\n".join(lines)


def startup(binary, work, runs):
    """A store of ten files with nothing to do: the cost in a git hook."""
    tool = Syncd(binary, work / "ten")
    corpus = work / "ten-corpus"
    corpus.mkdir()
    for number in range(10):
        (corpus / f"note{number}.org").write_text(f"* Note {number}\n")
    tool.prepare(corpus)
    measure(tool, tool.sync())
    time.sleep(0.1)
    measure(tool, tool.sync())
    return statistics.median(measure(tool, tool.sync())[0] for _ in range(max(runs, 11)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--only", help="tools to run, separated by commas", default="syncd,unison,rclone,rsync,find")
    arguments = parser.parse_args()
    work, runs = arguments.work, arguments.runs
    corpus = work / "corpus"
    subprocess.run([sys.executable, "Benchmarks/make-org-corpus.py", str(corpus), "--files", str(arguments.files),
                    "--seed", "1", "--large", "0"], check=True, stdout=subprocess.DEVNULL)
    every = [Syncd(arguments.syncd, work), Unison(work), Rclone(work), Rsync(work), Find(work)]
    tools = [t for t in every if t.name in arguments.only.split(",")]
    two_way = [t for t in tools if t.name in ("syncd", "unison", "rclone")]
    bench = Bench([t for t in tools if t.name != "find"], corpus, runs)
    bench.first()
    for tool in tools:
        if tool.name == "find":
            tool.prepare(corpus)
            subprocess.run(["cp", "-a", f"{corpus}/.", str(tool.right)], check=True)
        else:
            settle()
            measure(tool, tool.sync())
    bench.tools = tools
    bench.step("nothing changed", tools)
    bench.step("one edit on each side", two_way, bench.one_each)
    bench.step("1,000 edits", [t for t in tools if t.name != "find"], bench.thousand)
    size = sum(p.stat().st_size for p in corpus.rglob("*") if p.is_file())
    print(f"{arguments.files} files, {size / 1e6:.1f} MB; {os.cpu_count()} processors, {platform.system()} {platform.release()}; "
          f"medians of {runs} runs; in brackets what syncd needs as a multiple of the other tool.\n")
    print(bench.table())
    print(f"\nStart-up, ten files and nothing to do: {startup(arguments.syncd, work, runs) * 1000:.1f} ms wall.")


main()
