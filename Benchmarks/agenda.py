#!/usr/bin/env python3
"""Times the agenda, queries and the index of one or several builds of syncd over the same Org files, and compares what they print.

    Benchmarks/agenda.py SYNCD [SYNCD ...] --work FOLDER [--org FOLDER] [--runs N]

Without --org, 10,000 generated files of 90 MB are made in the work folder. Prints a Markdown table: the minimum of the wall and of
the processor time of each command as a new process, in milliseconds. Ends with status 1 if builds print different bytes.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import time

AT = ["--at", "2026-03-10 14:30"]
COMMANDS = {
    "version": ["--version"],
    "agenda of the day": ["agenda"] + AT,
    "agenda of the week": ["agenda", "week"] + AT,
    "agenda of the week with the log": ["agenda", "week", "--log"] + AT,
    "agenda of the day as JSON": ["agenda", "--json"] + AT,
    "a day of 2016": ["agenda", "--at", "2016-03-08 09:30"],
    "tags": ["tags"],
    "habits": ["habits"] + AT,
    "tag t.work": ["search", "t.work"] + AT,
    "state i.next s.today": ["search", "i.next s.today"] + AT,
    "deadline d.le.-1m o.d": ["search", "d.le.-1m o.d"] + AT,
    "word": ["search", "soil"] + AT,
    "property": ["search", "prop.EFFORT"] + AT,
    "near": ["near", "48.2,16.37"] + AT,
}


def run(command):
    """The output of a command with its wall and processor time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    output = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return output, 1000 * wall, 1000 * cpu


class Build:
    def __init__(self, number, binary, work, org):
        self.state = work / f"state{number}"
        self.state.mkdir(parents=True, exist_ok=True)
        settings = work / f"settings{number}.toml"
        settings.write_text(f'[syncd]\nstate = "{self.state}"\n[store]\nbackend = "org-files"\npath = "{org}"\n')
        self.command = [binary, "--settings", str(settings)]

    def forget(self):
        for name in ["items.sqlite", "items.sqlite-journal"]:
            (self.state / name).unlink(missing_ok=True)


def edit(path):
    """Changes one byte in the middle of a file; twice gives the former file."""
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 0x20]) if byte.isalpha() else byte)


def measure(builds, prepare, arguments, runs):
    """The fastest wall and processor times of each build, and true if all printed the same."""
    times, isEqual = [[] for _ in builds], True
    for _ in range(runs):
        outputs = set()
        for build, measured in zip(builds, times):
            prepare(build)
            output, wall, cpu = run(build.command + arguments)
            measured.append((wall, cpu))
            outputs.add(output)
        isEqual = isEqual and len(outputs) == 1
    return [(min(wall for wall, _ in rows), min(cpu for _, cpu in rows)) for rows in times], isEqual


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", nargs="+")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--org", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    work = options.work.resolve()
    org = options.org.resolve() if options.org else work / "org"
    if not org.exists():
        maker = pathlib.Path(__file__).parent / "make-org-corpus.py"
        subprocess.run([sys.executable, maker, org, "--files", "10000", "--seed", "1", "--total-mb", "90"], check=True)
    builds = [Build(number, os.path.abspath(name), work, org) for number, name in enumerate(options.binary)]
    largest = max(org.rglob("*.org"), key=lambda path: path.stat().st_size)
    nothing = lambda build: None
    steps = [("building the index", Build.forget, ["tags"], 2)]
    steps += [(name, nothing, command, options.runs) for name, command in COMMANDS.items()]
    steps += [(f"tags after an edit of {largest.stat().st_size / 1e6:.1f} MB", lambda build: edit(largest), ["tags"], 4)]
    print("| ms, wall / processor | " + " | ".join(options.binary) + " |\n|---" + "|---" * len(builds) + "|")
    isEqual = True
    for name, prepare, arguments, runs in steps:
        times, same = measure(builds, prepare, arguments, runs)
        mark = "" if same else " (different)"
        print(f"| {name}{mark} | " + " | ".join(f"{wall:.0f} / {cpu:.0f}" for wall, cpu in times) + " |", flush=True)
        isEqual = isEqual and same
        if name == "building the index":
            # What changed in the last two seconds is read again by each command.
            time.sleep(3)
            for build in builds:
                run(build.command + ["tags"])
    sys.exit(0 if isEqual else 1)


main()
