#!/usr/bin/env python3
"""Times two builds of syncd on the same work, in turn, and prints a Markdown table: what a change costs or gains.

  Benchmarks/compare.py BEFORE AFTER [--files N] [--runs N] [--work FOLDER]

BEFORE and AFTER are release binaries. The store has N generated Org files of about 6 KB, the remote is a folder on the same disk.
Each run starts in new folders; the two programs alternate in going first, so that a slow moment of the machine meets both. The
figures are medians; `cpu` is user plus system time of the program and its children. A file system is slow where many files were
just deleted: for figures that repeat, put --work on a new one.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SETTINGS = """[syncd]
state = "state"
[store]
path = "store"
[remotes.bench]
sync = "plain-files"
cloud = "folder"
[remotes.bench.folder]
path = "remote"
create = true
"""
STEPS = ["first sync", "nothing changed", "a sixth edited", "merges"]


class Run:
    """One program with its own folders."""

    def __init__(self, binary, work, files):
        self.binary = binary
        self.files = files
        self.home = pathlib.Path(tempfile.mkdtemp(dir=work))
        self.store, self.remote = self.home / "store", self.home / "remote"
        self.store.mkdir()
        for number in range(files):
            self.path(self.store, number).write_text("".join(
                f"* TODO Entry {number} {entry}\nSome text of the entry {entry} in file {number}.\n" for entry in range(100)))
        self.settings = self.home / "settings.toml"
        self.settings.write_text(SETTINGS)

    @staticmethod
    def path(folder, number):
        return folder / f"{number}.org"

    def append(self, folder, count, text):
        for number in range(count):
            with open(self.path(folder, number), "a", encoding="utf8") as file:
                file.write(text)

    def sync(self):
        """Wall and processor time of one pass in seconds."""
        began, before = time.monotonic(), os.times()
        result = subprocess.run([self.binary, "--settings", self.settings, "--once", "--quiet"], stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            sys.exit(f"compare: {self.binary} ended with status {result.returncode}: {result.stderr}")
        after = os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        return time.monotonic() - began, processor

    def steps(self):
        """The times of each step."""
        yield "first sync", self.sync()
        self.sync()
        for _ in range(3):
            yield "nothing changed", self.sync()
        self.append(self.store, max(1, self.files // 6), "* More\n")
        yield "a sixth edited", self.sync()
        count = max(1, self.files // 15)
        self.append(self.store, count, "* Ours\n")
        self.append(self.remote, count, "* Theirs\n")
        yield "merges", self.sync()

    def remove(self):
        shutil.rmtree(self.home)


def measure(binaries, work, files, runs):
    """The times by program and step."""
    times = {name: {step: [] for step in STEPS} for name in binaries}
    for repetition in range(runs):
        names = list(binaries)
        for name in names if repetition % 2 == 0 else reversed(names):
            run = Run(binaries[name], work, files)
            for step, value in run.steps():
                times[name][step].append(value)
            run.remove()
    return times


def main():
    parser = argparse.ArgumentParser(description="Compare two builds of syncd.")
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", default="/var/tmp", help="folder for temporary files")
    options = parser.parse_args()
    binaries = {"before": os.path.abspath(options.before), "after": os.path.abspath(options.after)}
    with tempfile.TemporaryDirectory(prefix="syncd-compare.", dir=options.work) as work:
        times = measure(binaries, work, options.files, options.runs)
    print("| step | before, s | after, s | ratio | before, cpu s | after, cpu s | ratio |\n|---|---:|---:|---:|---:|---:|---:|")
    for step in STEPS:
        cells = []
        for part in (0, 1):
            before, after = (statistics.median(value[part] for value in times[name][step]) for name in ("before", "after"))
            cells += [f"{before:.3f}", f"{after:.3f}", f"{after / before:.2f}"]
        print(f"| {step} | " + " | ".join(cells) + " |")


main()
