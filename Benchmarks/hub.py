#!/usr/bin/env python3
"""Measures the processor time of a hub for the requests of the web client, with a store of 100,000 entries.

    Benchmarks/hub.py SYNCD --work FOLDER [--org FOLDER] [--runs N]

Without --org, 1,000 files with 100 entries each are made in the work folder; 500 open tasks have dates of which 14 days show a half.
Prints a Markdown table: the processor time of all threads of the hub for a request, the mean of N that are repeated and of the first one
after an edit of a file, in milliseconds, with the size of the answer. The last row is what a device fetches when it meets the hub for the
first time: the lists, and pages until it has 2,000 entries.
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import socket
import subprocess
import time
import urllib.error
import urllib.request

PAGE = "/items?limit=200&body=true"
LISTS = ["/session", "/agenda?days=14", "/files", "/templates", "/targets?level=2&limit=2000", "/clock", "/habits", "/tags"]
OTHERS = ["/targets?level=2&limit=60&q=soil", PAGE, PAGE + "&after=1800", "/items?limit=100&q=soil", "/items?limit=100&q=t.work"]

WORDS = "soil amber river ledger maple signal harbor violet copper meadow lantern orbit pepper quarry saddle timber".split()


def stamp(day, rest=""):
    return f"<{day:%Y-%m-%d %a}{rest}>"


def entry(number, draw, today):
    """One entry in the middle of a person's notes; one of 200 has a date near today."""
    words = lambda count: " ".join(draw.choice(WORDS) for _ in range(count))
    state = draw.choice(["", "", "", "TODO ", "DONE "])
    text, tags = f"{words(4)} {number}", draw.choice(["", "", ":work:", ":home:bank:"])
    if number % 200 == 0:
        day = today + datetime.timedelta(draw.randint(-5, 25))
        date = draw.choice(["SCHEDULED: ", "SCHEDULED: ", "DEADLINE: "]) + stamp(day, draw.choice(["", " 10:00", " +1w"]))
        return f"* TODO {text} {tags}\n{date}\n{words(30)}\n"
    return f"{'*' * draw.choice([1, 2, 2])} {state}{text} {tags}\n" + "".join(words(12) + "\n" for _ in range(draw.randint(1, 6)))


def make_store(org):
    draw, today = random.Random(1), datetime.date.today()
    org.mkdir()
    for file in range(1_000):
        (org / f"notes-{file:03}.org").write_text("".join(entry(100 * file + place, draw, today) for place in range(100)))


class Hub:
    def __init__(self, binary, work, org):
        settings = work / "hub.toml"
        settings.write_text(f'[syncd]\nstate = "{work / "state"}"\n[store]\nbackend = "org-files"\npath = "{org}"\n')
        self.org = org
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        words = [binary, "--settings", str(settings)]
        self.process = subprocess.Popen([binary, "serve", "--listen", f"127.0.0.1:{port}"] + words[1:], stdout=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}/api/v1"
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        self.token = subprocess.run([binary, "pair", "--token", "--name", "bench"] + words[1:], capture_output=True, text=True, check=True).stdout.strip()

    def get(self, path):
        """The answer; a device may send 300 requests a minute."""
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        while True:
            try:
                with urllib.request.urlopen(request, timeout=600) as answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                if error.code != 429:
                    raise
                time.sleep(int(error.headers["Retry-After"]))

    def spent(self):
        """The processor time of all threads so far, in milliseconds; it is counted in steps of 10 ms."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rest(self):
        """Waits until the hub has nothing to do."""
        before = self.spent()
        while True:
            time.sleep(2)
            now = self.spent()
            if now - before < 20:
                return
            before = now

    def cost(self, paths, runs=1):
        before = self.spent()
        for _ in range(runs):
            size = sum(len(self.get(path)) for path in paths)
        return (self.spent() - before) / runs, size

    def edit(self):
        """Another program writes a file."""
        path = next(iter(sorted(self.org.rglob("*.org"))))
        path.write_text(path.read_text() + "* An entry\n")
        self.rest()

    def first_load(self):
        before, number, size, path = self.spent(), 0, 0, PAGE
        size += sum(len(self.get(one)) for one in LISTS)
        while path and number < 2_000:
            body = self.get(path)
            answer = json.loads(body)
            number, size = number + len(answer["items"]), size + len(body)
            path = f"{PAGE}&after={answer['next']}" if answer["next"] else None
        return self.spent() - before, size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--org", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    org = options.org.resolve() if options.org else work / "org"
    if not org.exists():
        make_store(org)
    hub = Hub(os.path.abspath(options.binary), work, org)
    try:
        hub.get("/tags")
        hub.rest()
        print("| request | repeated, ms | after an edit, ms | answer, KiB |\n|---|---|---|---|")
        for path in LISTS + OTHERS:
            hub.get(path)
            repeated, size = hub.cost([path], options.runs)
            hub.edit()
            print(f"| `{path}` | {repeated:.1f} | {hub.cost([path])[0]:.0f} | {size / 1024:.0f} |", flush=True)
        spent, size = hub.first_load()
        print(f"| first load | {spent:.0f} | | {size / 1024:.0f} |")
        resident = next(line for line in pathlib.Path(f"/proc/{hub.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        print(f"\nPeak of memory: {int(resident.split()[1]) / 1024:.0f} MiB")
    finally:
        hub.process.terminate()
        hub.process.wait()


main()
