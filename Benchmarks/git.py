#!/usr/bin/env python3
"""Times syncd with a git repository as its remote, beside the script that people run from cron or gitwatch (git add, commit,
pull, push), in turn on the same files: first sync, nothing changed, one edit. Prints a Markdown table.

Both have a bare repository of their own on the same disk; every figure is a median of wall time in seconds.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

SCRIPT = """set -e
cd "$1"
git add --all .
git diff --cached --quiet || git commit --quiet --message "Changes of $(date -Is)"
if git ls-remote --exit-code --heads origin main >/dev/null; then git pull --quiet --rebase origin main; fi
git push --quiet origin HEAD:main
"""


def git(*words, folder=None):
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


class Tool:
    def __init__(self, name, work):
        self.name, self.work = name, work

    def prepare(self, corpus):
        """Starts again in new folders: a file system is slow where many files were just deleted."""
        self.home = self.work / f"{self.name.split()[0]}-{time.monotonic_ns()}"
        self.store, self.hub = self.home / "store", self.home / "hub.git"
        self.home.mkdir(parents=True)
        subprocess.run(["cp", "-a", str(corpus), str(self.store)], check=True)
        git("init", "--quiet", "--bare", "--initial-branch=main", str(self.hub))
        self.set_up()


class Syncd(Tool):
    def __init__(self, binary, work):
        super().__init__("syncd", work)
        self.binary = binary

    def set_up(self):
        (self.home / "settings.toml").write_text(
            '[syncd]\nstate = "state"\n[store]\npath = "store"\n'
            '[remotes.bench]\nsync = "git"\n[remotes.bench.git]\nurl = "hub.git"\n')

    def sync(self):
        return [self.binary, "--settings", str(self.home / "settings.toml"), "--once", "--quiet"]


class Script(Tool):
    def __init__(self, work):
        super().__init__("script of git commands", work)

    def set_up(self):
        git("init", "--quiet", "--initial-branch=main", folder=self.store)
        git("remote", "add", "origin", str(self.hub), folder=self.store)
        for key, value in (("user.name", "Bench"), ("user.email", "bench@example.org"), ("gc.auto", "0")):
            git("config", key, value, folder=self.store)

    def sync(self):
        return ["sh", "-c", SCRIPT, "sh", str(self.store)]


def measure(tool):
    start = time.perf_counter()
    outcome = subprocess.run(tool.sync(), stdin=subprocess.DEVNULL, capture_output=True)
    wall = time.perf_counter() - start
    if outcome.returncode != 0:
        sys.exit(f"{tool.name} failed with {outcome.returncode}: {outcome.stderr.decode(errors='replace')[-2000:]}")
    print(f"{tool.name}: {wall:.3f} s", file=sys.stderr, flush=True)
    return wall


def edit(tool, run):
    files = sorted(tool.store.rglob("*.org"))
    with open(files[run * 7919 % len(files)], "ab") as file:
        file.write(f"* edit {run}\n".encode())


def commits(tool):
    return int(subprocess.run(["git", "rev-list", "--count", "main"], cwd=tool.hub, check=True, capture_output=True).stdout)


def series(tools, corpus, runs, repeats):
    figures = {tool.name: {} for tool in tools}

    def note(step, tool):
        figures[tool.name].setdefault(step, []).append(measure(tool))

    for _ in range(runs):
        for tool in tools:
            tool.prepare(corpus)
            note("first sync", tool)
        # Both read recently written files once more.
        time.sleep(1.1)
        for tool in tools:
            measure(tool)
        for number in range(repeats):
            for tool in tools:
                note("nothing changed", tool)
            for tool in tools:
                edit(tool, number)
                before = commits(tool)
                note("one edit", tool)
                if commits(tool) != before + 1:
                    sys.exit(f"{tool.name} made {commits(tool) - before} commits of one edit")
            time.sleep(1.1)
            for tool in tools:
                measure(tool)
    return figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    os.environ |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    corpus = arguments.work / "corpus"
    subprocess.run([sys.executable, "Benchmarks/make-org-corpus.py", str(corpus), "--files", str(arguments.files),
                    "--seed", "1", "--large", "0"], check=True, stdout=subprocess.DEVNULL)
    tools = [Syncd(arguments.syncd, arguments.work), Script(arguments.work)]
    figures = series(tools, corpus, arguments.runs, arguments.repeats)
    version = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.strip()
    print(f"{arguments.files} files, {version}; medians of {arguments.runs} runs with {arguments.repeats} edits each.\n")
    print("| | " + " | ".join(tool.name for tool in tools) + " | ratio |\n" + "|---" * (len(tools) + 2) + "|")
    for step in figures[tools[0].name]:
        ours, theirs = (statistics.median(figures[tool.name][step]) for tool in tools)
        print(f"| {step} | {ours:.3f} s | {theirs:.3f} s | {theirs / ours:.1f} |")


if __name__ == "__main__":
    main()
