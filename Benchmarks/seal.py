#!/usr/bin/env python3
"""Times a first sync to a folder, readable and encrypted with age, in turn: 2,000 small files, and one of 100 MB, the latter
also beside the program age, which seals the same file. Prints a Markdown table.

Nothing is removed before the end: for a minute after many files were removed, ext4 searches long for a place for each new one.

Every figure is the median of the wall times, with the processor time behind it; ratios are to the readable sync.
"""
import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time


def measure(words):
    """Wall and processor time of a program; fails unless the program succeeds."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{words} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime


class Sync:
    """syncd with a store, a folder as remote, and optionally a key."""

    def __init__(self, name, binary, work, sealed, more=""):
        self.name, self.binary, self.work, self.sealed, self.more = name, binary, work, sealed, more

    def run(self, corpus):
        home = self.work / f"{time.monotonic_ns()}"
        home.mkdir()
        subprocess.run(["cp", "-a", str(corpus), str(home / "store")], check=True)
        recipient = (self.work / "key.pub").read_text().strip()
        age = f'[remotes.bench.age]\nrecipients = ["{recipient}"]\nidentity-file = "{self.work}/key"\n{self.more}\n'
        (home / "settings.toml").write_text(
            '[syncd]\nstate = "state"\n[store]\npath = "store"\n[remotes.bench]\nsync = "plain-files"\ncloud = "folder"\n'
            + ('encryption = "age"\n' if self.sealed else "")
            + '[remotes.bench.folder]\npath = "remote"\n' + (age if self.sealed else ""))
        (home / "remote").mkdir()
        os.sync()
        return measure([self.binary, "--settings", str(home / "settings.toml"), "--once", "--quiet"])


class Age:
    name = "the program age"

    def __init__(self, work):
        self.work = work

    def run(self, corpus):
        recipient = (self.work / "key.pub").read_text().strip()
        times = measure(["age", "-r", recipient, "-o", str(self.work / "sealed"), str(corpus / "large")])
        (self.work / "sealed").unlink()
        return times


def corpora(work):
    generator = random.Random(1)
    small, large = work / "small", work / "large"
    small.mkdir()
    large.mkdir()
    for number in range(2000):
        folder = small / f"{number % 40}"
        folder.mkdir(exist_ok=True)
        lines = (f"** TODO entry {line} {generator.random()}" for line in range(generator.randrange(10, 90)))
        (folder / f"{number}.org").write_text("* Notes\n" + "\n".join(lines) + "\n")
    (large / "large").write_bytes(generator.randbytes(100_000_000))
    return {"2,000 small files": small, "100 MB": large}


def main():
    parser = argparse.ArgumentParser()
    for name in ("syncd", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    work = pathlib.Path(options.work)
    subprocess.run(["age-keygen", "-o", str(work / "key")], check=True, stderr=subprocess.DEVNULL)
    public = subprocess.run(["age-keygen", "-y", str(work / "key")], check=True, capture_output=True, text=True).stdout
    (work / "key.pub").write_text(public)
    tools = [Sync("readable", options.syncd, work, False), Sync("encrypted", options.syncd, work, True),
             Sync("encrypted, names hidden", options.syncd, work, True, "hide-names = true")]
    print("| | | wall, s | processor, s | of readable |\n|---|---|---|---|---|")
    for title, corpus in corpora(work).items():
        taking_part = tools + ([Age(work)] if title == "100 MB" else [])
        times = {tool.name: [] for tool in taking_part}
        for _ in range(options.runs):
            for tool in taking_part:
                times[tool.name].append(tool.run(corpus))
        base = statistics.median(wall for wall, _ in times["readable"])
        for name, runs in times.items():
            wall, cpu = (statistics.median(column) for column in zip(*runs))
            print(f"| {title} | {name} | {wall:.2f} | {cpu:.2f} | {wall / base:.2f} |")


if __name__ == "__main__":
    main()
