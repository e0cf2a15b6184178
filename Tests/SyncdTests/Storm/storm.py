#!/usr/bin/env python3
"""A judge of the real program that shares no code with it.

storm.py --syncd PROGRAM [--first SEED] [--worlds N] [--steps N] [--webdav URL --webdav-root FOLDER] [--keep FOLDER]

Two to four devices sync a store with one to three remotes (folders, git repositories, encrypted folders and, with --webdav, a
WebDAV server), with every step chosen by the seed. People edit, rename and delete files; passes are killed at failpoints; files
are restored, ignored for a time, captured and undone; remotes are reset, held deletions are allowed or denied.

Each world alternates between two kinds of episodes:

- "owners": each file belongs to one device, and only its owner edits it. The ledger then knows the exact content of every file
  at every moment. After each pass the owner's files must be exactly as the owner left them, and at the end of the episode each
  store and each remote must be exactly the ledger.
- "crowd": every device edits every file. The ledger knows each line that was ever written and those that a person removed. At
  the end all places must be equal, and no line may be missing that no person removed.

Prints one line for each world and a log of the steps for each that fails; exits with 1 if one failed.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

TOKEN = re.compile(rb"k\d{5}")
ROUND_LIMIT = 6


class Failure(Exception):
    pass


class World:
    def __init__(self, seed, options):
        self.seed, self.options = seed, options
        self.random = random.Random(seed)
        self.root = tempfile.mkdtemp(prefix=f"storm-{seed}-", dir=options.scratch)
        self.log = []
        self.next_token = 0
        self.removed = set()  # lines that a person removed, in any version
        self.written = set()
        self.passes = self.kills = 0
        self.commands = {}
        self.versions = {}  # digest of each whole content that a person wrote, by path
        self.failpoints = [
            line.split()[0] for line in run([options.syncd], {"SYNCD_FAILPOINTS": "list"}).stdout.decode().splitlines() if line
        ]
        self.make()

    # --- The places

    def make(self):
        r = self.random
        kinds = ["folder", "folder", "folder", "age", "age", "git"] + (["webdav"] if self.options.webdav else [])
        self.remotes = {f"r{n}": r.choice(kinds) for n in range(r.choice([1, 1, 2, 2, 3]))}
        names = [f"d{n}" for n in range(r.choice([2, 2, 3, 3, 4]))]
        self.devices = {}
        # Where each version reaches a device on one way only, the ledger is exact. Otherwise a remote may lag behind another one
        # and bring a former version back, as docs/reliability.md says; no line may be lost all the same.
        self.is_exact = len(self.remotes) == 1 or r.random() < 0.7
        for index, name in enumerate(names):
            if index == 0:
                links = list(self.remotes)
            elif self.is_exact:
                links = [r.choice(sorted(self.remotes))]
            else:
                links = sorted(r.sample(sorted(self.remotes), r.randint(1, len(self.remotes))))
            self.devices[name] = links
        for name, kind in self.remotes.items():
            self.make_remote(name, kind)
        for device in self.devices:
            os.makedirs(f"{self.root}/{device}/org")
            self.write_settings(device)
        # People also edit files of a remote that is a folder.
        self.people = sorted(self.devices) + [name for name in sorted(self.remotes) if self.remotes[name] == "folder"]
        self.models = {person: {} for person in self.people}
        self.note(f"remotes {self.remotes}, devices {self.devices}")

    def make_remote(self, name, kind):
        place = f"{self.root}/{name}"
        if kind == "git":
            check(run(["git", "init", "-q", "--bare", "-b", "main", place]))
        else:
            os.makedirs(place)
        if kind == "webdav":
            os.makedirs(self.webdav_root(name))
        if kind == "age":
            check(run(["age-keygen", "-o", f"{self.root}/{name}.key"]))
            with open(f"{self.root}/{name}.key") as file:
                self.recipient = re.search(r"age1\w+", file.read()).group()

    def webdav_root(self, name):
        return f"{self.options.webdav_root}/{os.path.basename(self.root)}-{name}"

    def write_settings(self, device, exclude=()):
        home = f"{self.root}/{device}"
        text = f'[syncd]\nstate = "{home}/state"\ndevice = "{device}"\n'
        text += f'[store]\nbackend = "org-files"\npath = "{home}/org"\nexclude = {json.dumps(list(exclude))}\n'
        for name in self.devices[device]:
            kind, place = self.remotes[name], f"{self.root}/{name}"
            if kind == "git":
                text += f'[remotes.{name}]\nsync = "git"\n[remotes.{name}.git]\nurl = "{place}"\n'
                continue
            cloud = "webdav" if kind == "webdav" else "folder"
            text += f'[remotes.{name}]\nsync = "plain-files"\ncloud = "{cloud}"\n'
            if kind == "age":
                text += 'encryption = "age"\n'
            if kind == "webdav":
                url = f"{self.options.webdav}/{os.path.basename(self.root)}-{name}/"
                text += f'[remotes.{name}.webdav]\nurl = "{url}"\nplain-http = true\n'
            else:
                text += f'[remotes.{name}.folder]\npath = "{place}"\n'
            if kind == "age":
                key = f"{self.root}/{name}.key"
                with open(key) as file:
                    recipient = re.search(r"age1\w+", file.read()).group()
                text += f'[remotes.{name}.age]\nrecipients = ["{recipient}"]\nidentity-file = "{key}"\n'
        with open(f"{home}/s.toml", "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(text)

    def home(self, person):
        """The folder in which a person works: the store of a device, or a folder remote."""
        return f"{self.root}/{person}" if person in self.remotes else f"{self.root}/{person}/org"

    def store(self, person):
        return self.remote_tree(person) if person in self.remotes else tree(self.home(person))

    def remote_tree(self, name):
        """The files of a remote that can be read without syncd, or None."""
        kind = self.remotes[name]
        if kind == "folder":
            return {k: v for k, v in tree(f"{self.root}/{name}").items() if k != ".syncd-root"}
        if kind == "webdav":
            return {k: v for k, v in tree(self.webdav_root(name)).items() if k != ".syncd-root" and not k.startswith(".DAV")}
        if kind == "git":
            listing = run(["git", "-C", f"{self.root}/{name}", "ls-tree", "-rz", "main"])
            if listing.returncode != 0:
                return {}
            files = {}
            for line in listing.stdout.split(b"\0"):
                if line:
                    head, path = line.split(b"\t", 1)
                    blob = head.split()[2].decode()
                    files[path.decode()] = check(run(["git", "-C", f"{self.root}/{name}", "cat-file", "blob", blob])).stdout
            return files
        return None

    def raw_tree(self, name):
        return tree(f"{self.root}/{name}") if self.remotes[name] == "age" else self.remote_tree(name)

    # --- The program

    def syncd(self, device, *words, failpoints=None, allowed=(0,)):
        env = {"HOME": f"{self.root}/{device}", "GIT_CONFIG_NOSYSTEM": "1"}
        if failpoints:
            env["SYNCD_FAILPOINTS"] = failpoints
        command = [self.options.syncd, "--settings", f"{self.root}/{device}/s.toml", *words]
        done = run(command, env)
        self.note(f"{device}: {failpoints or ''} {' '.join(words)} -> {done.returncode}")
        if done.returncode not in allowed:
            raise Failure(
                f"{device}: {' '.join(words)} ended with {done.returncode}\n{done.stdout.decode(errors='replace')}"
                f"{done.stderr.decode(errors='replace')}")
        return done

    def pass_(self, device, kill=False):
        self.passes += 1
        failpoints = None
        if kill:
            self.kills += 1
            failpoints = f"{self.random.choice(self.failpoints)}=kill@nth({self.random.choice([1, 1, 1, 2, 2, 3, 4, 6])})"
        done = self.syncd(device, "--once", failpoints=failpoints, allowed=(0, 3, 6, 10, -signal.SIGKILL))
        self.look_after(device)
        if done.returncode == 6:
            self.decide(device)
        return done

    def decide(self, device):
        """Allows or denies what is held."""
        status = json.loads(self.syncd(device, "status", "--json", allowed=(0, 3, 6, 10)).stdout)
        for remote in status["remotes"]:
            held = remote["held"]
            if not held:
                continue
            wanted = [path for path in held["paths"] if path not in self.deleted_paths]
            if wanted and self.episode == "owners":
                raise Failure(f"{device} holds deletions that no person made: {wanted} ({held['reason']})")
            command = "deny" if self.random.random() < 0.3 else "allow"
            self.count(command)
            self.syncd(device, command, held["id"], allowed=(0, 2, 4))
            if command == "deny":
                self.denied |= set(held["paths"])
                self.name_owners.update(dict.fromkeys(held["paths"]))

    # --- What people do

    def token(self):
        self.next_token += 1
        return f"k{self.next_token:05}"

    def new_text(self, path):
        r = self.random
        if path.endswith(".bin"):
            return f"{self.token()}\0\n".encode()
        if path.endswith(".txt"):
            return "".join(f"line {self.token()}\n" for _ in range(r.randint(1, 6))).encode()
        text = f"# {self.token()}\n" if r.random() < 0.3 else ""
        for _ in range(r.randint(1, 4)):
            text += self.new_entry()
        return text.encode()

    def new_entry(self):
        r = self.random
        text = "*" * r.choice([1, 1, 1, 2]) + r.choice([" ", " TODO ", " DONE "]) + f"title {self.token()}\n"
        if r.random() < 0.3:
            text += f":PROPERTIES:\n:ID: {self.token()}\n:END:\n"
        for _ in range(r.randint(0, 3)):
            text += f"body {self.token()}\n"
        return text

    def edited(self, path, content):
        """Another version of a text."""
        r = self.random
        if path.endswith(".bin"):
            return content + f"{self.token()}\0\n".encode() if r.random() < 0.5 else self.new_text(path)
        lines = content.decode().splitlines(keepends=True)
        for _ in range(r.choice([1, 1, 1, 2, 4])):
            choice = r.random()
            plain = [i for i, line in enumerate(lines) if line.startswith(("body", "line"))]
            heads = [i for i, line in enumerate(lines) if line.startswith("*")]
            if choice < 0.3 and plain:
                i = r.choice(plain)
                lines[i] = f"{lines[i].split()[0]} {self.token()}\n"
            elif choice < 0.4 and plain:
                del lines[r.choice(plain)]
            elif choice < 0.6 and heads:
                i = r.choice(heads)
                if " TODO " in lines[i]:
                    lines[i] = lines[i].replace(" TODO ", " DONE ")
                elif " DONE " in lines[i]:
                    lines[i] = lines[i].replace(" DONE ", " TODO ")
                else:
                    lines[i] = lines[i].replace("* ", "* TODO ", 1)
            elif choice < 0.7 and len(heads) > 1:
                i = r.choice(heads)
                end = next((j for j in heads if j > i), len(lines))
                part = lines[i:end]
                del lines[i:end]
                if r.random() < 0.5:  # moved, not removed
                    heads = [i for i, line in enumerate(lines) if line.startswith("*")]
                    at = r.choice(heads + [len(lines)])
                    lines[at:at] = part
            elif path.endswith(".org"):
                at = r.choice(heads + [len(lines)]) if heads else len(lines)
                lines[at:at] = self.new_entry().splitlines(keepends=True)
            else:
                lines.insert(r.randint(0, len(lines)), f"line {self.token()}\n")
        return "".join(lines).encode()

    def names(self):
        stems = ["a", "b", "c", "notes (1)", "ünïcode", "x"]
        return [f"{folder}{stem}.{ext}" for folder in ["", "d/", "d/e/", "j/"] for stem in stems for ext in ["org", "txt", "bin"]]

    def edit(self, device):
        """One edit by the person at a device."""
        r = self.random
        home = self.home(device)
        store = self.store(device)
        files = self.models[device] if self.episode == "owners" else store
        paths = sorted(p for p in files if p != "inbox.org")
        taken = set(store) | {p for model in self.models.values() for p in model}
        before = dict(files)
        choice = r.random()
        if choice < 0.2 or len(paths) < 2:
            free = [n for n in self.names() if n not in taken and self.fits(device, n)]
            if not free:
                return
            path = r.choice(free)
            self.put(home, path, self.new_text(path))
            what = f"creates {path}"
        elif choice < 0.68:
            path = r.choice(paths)
            old = self.versions.get(path, [])
            content = r.choice(old) if old and r.random() < 0.12 else self.edited(path, files[path])
            self.put(home, path, content)
            what = f"edits {path}"
        elif choice < 0.82:
            path = r.choice([p for p in paths if p != self.ignored.get(device)])
            free = [n for n in self.names() if n not in taken and n.endswith(path[-4:]) and self.fits(device, n)]
            if not free:
                return
            target = r.choice(free)
            os.makedirs(os.path.dirname(f"{home}/{target}"), exist_ok=True)
            os.rename(f"{home}/{path}", f"{home}/{target}")
            what = f"renames {path} to {target}"
            self.deleted_paths.add(path)
            if r.random() < 0.3:
                self.put(home, target, self.edited(target, files[path]))
                what += " and edits it"
        else:
            path = r.choice([p for p in paths if p != self.ignored.get(device)])
            os.remove(f"{home}/{path}")
            self.deleted_paths.add(path)
            what = f"deletes {path}"
        self.saw_edit(device, before, store)
        after = self.store(device)
        changed = {p: after.get(p) for p in sorted(set(before) | set(after)) if after.get(p) != store.get(p)}
        self.note(f"{device} {what}: " + "; ".join(f"{p} {c!r}" for p, c in changed.items()))

    def fits(self, device, path):
        """True if the person at a device may take the name: a name that another owner has given up may still be in use elsewhere."""
        return not os.path.isdir(f"{self.home(device)}/{path}") and self.name_owners.get(path, device) == device

    def saw_edit(self, device, before, store):
        after = self.store(device)
        if self.episode == "owners":
            self.models[device] = {p: c for p, c in after.items() if p in before or p not in store}
            self.name_owners.update(dict.fromkeys(self.models[device], device))
            after = self.models[device]
        self.written |= tokens(after)
        self.removed |= removed(before, after)
        for path, content in after.items():
            if before.get(path) != content:
                self.versions.setdefault(path, []).append(content)

    def put(self, home, path, content):
        os.makedirs(os.path.dirname(f"{home}/{path}"), exist_ok=True)
        if self.random.random() < 0.5:
            with open(f"{home}/{path}", "wb") as file:
                file.write(content)
        else:
            with open(f"{home}/{path}.swp~", "wb") as file:
                file.write(content)
            os.rename(f"{home}/{path}.swp~", f"{home}/{path}")

    # --- What must be true

    def look_after(self, device):
        """The files of an owner are as the owner left them, at the device and at the remotes of a pass."""
        if self.episode != "owners":
            return
        for person in [device] + [name for name in self.devices[device] if name in self.models]:
            store = self.store(person)
            for path, content in self.models[person].items():
                if store.get(path) != content:
                    raise Failure(
                        f"{person}: its own {path} was changed\nledger: {content!r}\nstore:  {store.get(path)!r}")

    def settle(self):
        """Passes until nothing changes; each device in turn."""
        order = sorted(self.devices)
        last, quiet = None, 0
        for count in range(ROUND_LIMIT + 2 * len(order)):
            self.random.shuffle(order)
            codes = [self.pass_(device).returncode for device in order]
            state = [self.store(d) for d in sorted(self.devices)] + [self.raw_tree(r) for r in sorted(self.remotes)]
            if state == last and 6 not in codes and 10 not in codes:
                break
            last = state
        else:
            raise Failure("the world does not become quiet")
        self.rounds = max(getattr(self, "rounds", 0), count)
        stores = {d: self.store(d) for d in self.devices}
        first = stores["d0"]
        for device, store in stores.items():
            if store != first:
                raise Failure(f"{device} and d0 differ:\n{difference(store, first)}")
        for name in self.remotes:
            files = self.remote_tree(name)
            if files is not None and files != first:
                raise Failure(f"{name} and d0 differ:\n{difference(files, first)}")
        for place in [f"{self.root}/{d}/org" for d in self.devices] + [f"{self.root}/{r}" for r in self.remotes]:
            left = [f for _, ds, fs in os.walk(place) for f in ds + fs if ".syncd-" in f and f != ".syncd-root"]
            if left:
                raise Failure(f"left behind in {place}: {left}")
        return first

    def settle_owned(self):
        files = self.settle()
        ledger = {p: c for model in self.models.values() for p, c in model.items()}
        inbox = files.pop("inbox.org", b"")
        ledger.pop("inbox.org", None)
        for path in self.denied & set(files) - set(ledger):
            # A version that its owner had agreed on once is back.
            if files[path] in self.versions[path]:
                del files[path]
        if files != ledger:
            raise Failure(f"the places differ from the ledger:\n{difference(files, ledger)}")
        for entry in self.captured:
            if inbox.count(entry) != 1:
                raise Failure(f"the captured entry {entry} is {inbox.count(entry)} times in the inbox")

    def settle_crowd(self):
        files = self.settle()
        live = tokens(files)
        lost = {t for t in self.crowd_tokens | self.written_here if t not in live and t not in self.removed}
        if lost:
            raise Failure(f"lines are lost that no person removed: {sorted(lost)}")

    # --- Episodes

    def play(self):
        self.captured, self.backups = [], {}
        for self.number in range(self.options.episodes):
            self.deleted_paths, self.name_owners, self.denied = set(), {}, set()
            self.reused = getattr(self, "reused", set())
            start = self.store("d0") if self.number else {}
            self.written_here, self.crowd_tokens = set(), tokens(start)
            self.ignored = {}
            if self.number % 3 == 2 or not self.is_exact:
                self.episode = "crowd"
                self.note("--- crowd")
                self.crowd(start)
            else:
                self.episode = "owners"
                self.note("--- owners")
                self.owners(start)

    def owners(self, start):
        r = self.random
        self.models = {person: {} for person in self.people}
        for path, content in sorted(start.items()):
            if path != "inbox.org":
                self.name_owners[path] = r.choice(self.people)
                self.models[self.name_owners[path]][path] = content
        for _ in range(self.options.steps):
            self.step(r.choice(self.people))
        for device in sorted(self.ignored):
            self.write_settings(device)
        self.ignored = {}
        self.settle_owned()
        if r.random() < 0.3:
            self.undo()
        if r.random() < 0.3:
            self.reset()
        if r.random() < 0.4:
            self.go_back()
        self.backups = {name: tempfile.mkdtemp(dir=self.root) for name in self.people if name in self.remotes}
        for name, backup in self.backups.items():
            shutil.copytree(self.home(name), backup, dirs_exist_ok=True)
        self.reused = set()

    def crowd(self, start):
        r = self.random
        before = set(self.written)
        for _ in range(self.options.steps):
            device = r.choice(self.people)
            if r.random() < 0.55 or device in self.remotes:
                self.edit(device)
            elif r.random() < 0.06:
                self.resolve(device)
            else:
                self.pass_(device, kill=r.random() < 0.35)
        self.written_here = self.written - before
        self.settle_crowd()
        self.reused |= self.deleted_paths
        for _ in range(4):
            if not self.resolve(r.choice(sorted(self.devices))):
                break
            self.settle()

    def step(self, device):
        r = self.random
        choice = r.random()
        if choice < 0.5 or device in self.remotes:
            for _ in range(r.choice([1, 1, 2, 3])):
                self.edit(device)
        elif choice < 0.88:
            self.pass_(device, kill=r.random() < 0.45)
        elif choice < 0.92:
            self.capture(device)
        elif choice < 0.97:
            self.restore(device)
        else:
            self.ignore(device)

    def capture(self, device):
        self.count("capture")
        token = self.token()
        self.syncd(device, "capture", f"note {token}")
        self.captured.append(token.encode())

    def restore(self, device):
        """Restores an older version of an own file; the ledger knows each of them."""
        r = self.random
        own = sorted(self.models[device])
        if not own:
            return
        path = r.choice(own)
        done = self.syncd(device, "log", path, "--json", allowed=(0, 2, 4))
        versions = json.loads(done.stdout).get("versions", []) if done.returncode == 0 else []
        known = {hashlib.sha256(c).hexdigest(): c for c in self.versions.get(path, [])}
        versions = [v["digest"] for v in versions if v["digest"] in known]
        if not versions:
            return
        digest = r.choice(versions)
        self.count("restore")
        kill = None
        if r.random() < 0.3:
            kill = f"{r.choice(self.failpoints)}=kill@nth({r.randint(1, 3)})"
        before = dict(self.models[device])
        done = self.syncd(
            device, "restore", path, "--digest", digest, failpoints=kill, allowed=(0, -signal.SIGKILL))
        found = self.store(device).get(path)
        if found not in (known[digest], before[path] if kill else known[digest]):
            raise Failure(f"restore of {path} on {device} left {found!r}")
        self.models[device][path] = found
        self.removed |= removed(before, self.models[device])

    def undo(self):
        """Undoes the last pass of a device of a quiet world: what the store has then is what its person wants."""
        device = self.random.choice(sorted(self.devices))
        self.count("undo")
        before = self.store(device)
        self.syncd(device, "undo", "last", allowed=(0, 2, 4))
        after = self.store(device)
        self.removed |= removed(before, after)
        for path in before:
            if path not in after:
                self.deleted_paths.add(path)
        self.models = {person: {} for person in self.people}
        self.models[device] = {p: c for p, c in after.items() if p != "inbox.org"}
        self.captured = [c for c in self.captured if c in after.get("inbox.org", b"")]
        self.settle_owned()

    def reset(self):
        """Forgets a remote in a quiet world: nothing may change."""
        device = self.random.choice(sorted(self.devices))
        remote = self.random.choice(self.devices[device])
        self.count("reset")
        self.syncd(device, "remote", "reset", remote)
        if self.random.random() < 0.5:
            self.pass_(device, kill=True)
        self.settle_owned()

    def go_back(self):
        """Restores a remote of a quiet world from a backup: newer versions win, and only removed files may come back."""
        if not self.backups:
            return
        name = self.random.choice(sorted(self.backups))
        self.count("back up")
        self.note(f"{name} is restored from the backup")
        before = self.store("d0")
        self.reused |= self.deleted_paths
        shutil.rmtree(self.home(name))
        shutil.copytree(self.backups[name], self.home(name))
        self.episode = "restored"
        after = self.settle()
        for path, content in before.items():
            # Where a removed file comes back beside a newer one of its name, both are kept.
            found = after.values() if path in self.reused else [after.get(path)]
            if content not in found:
                raise Failure(f"{path} after a restore of {name}\nbefore: {content!r}\nafter:  {after.get(path)!r}")
        for path in after:
            original = re.sub(r"\.conflict-[^/]*(\.\w+)$", r"\1", path)
            is_copy = original != path and original in self.reused
            if path not in before and not is_copy and after[path] not in self.versions.get(path, []):
                raise Failure(f"{path} is new after a restore of {name}: {after[path]!r}")

    def ignore(self, device):
        """Ignores an own file of a device for a time; its person may edit it meanwhile, but neither removes nor renames it."""
        if device in self.ignored:
            del self.ignored[device]
            self.write_settings(device)
            self.note(f"{device} ignores nothing")
        elif self.models[device]:
            self.count("ignore")
            path = self.random.choice(sorted(self.models[device]))
            self.ignored[device] = path
            self.write_settings(device, exclude=["/" + path])
            self.note(f"{device} ignores {path}")

    def resolve(self, device):
        """Resolves the conflicts of a device; returns false if it has none."""
        done = self.syncd(device, "conflicts", "--json", allowed=(0, 3))
        if not json.loads(done.stdout).get("conflicts"):
            return False
        self.count("resolve")
        before = self.store(device)
        side = self.random.choice(["--ours", "--theirs"])
        self.syncd(device, "resolve", "--all", side, allowed=(0, 3, 4))
        after = self.store(device)
        self.removed |= removed(before, after)
        return True

    # --- Notes

    def note(self, text):
        self.log.append(text)

    def count(self, command):
        self.commands[command] = self.commands.get(command, 0) + 1


def run(command, env=None):
    clean = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8"}
    try:
        return subprocess.run(command, env={**clean, **(env or {})}, capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Failure(f"{command} did not end within ten minutes")


def check(done):
    if done.returncode != 0:
        raise Failure(done.stderr.decode())
    return done


def tree(root):
    files = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if ".syncd-" in name and name != ".syncd-root":
                continue
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, root)] = file.read()
    return files


def tokens(files):
    return {t for content in files.values() for t in TOKEN.findall(content)}


def removed(before, after):
    """The lines that left a file and came to no other one; another file may have a copy of them all the same."""
    changed = {p for p in set(before) | set(after) if before.get(p) != after.get(p)}
    return tokens({p: before[p] for p in changed if p in before}) - tokens({p: after[p] for p in changed if p in after})


def difference(a, b):
    lines = []
    for path in sorted(set(a) | set(b)):
        if a.get(path) != b.get(path):
            lines.append(f"{path}:\n  {a.get(path)!r}\n  {b.get(path)!r}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--syncd", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=1)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--webdav")
    parser.add_argument("--webdav-root")
    parser.add_argument("--scratch", default=None)
    parser.add_argument("--keep", action="store_true", help="keep the folders of worlds that failed")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.first, options.first + options.worlds):
        world = World(seed, options)
        try:
            world.play()
            print(f"{seed}: fine; {world.passes} passes, {world.kills} to be killed, {world.rounds} rounds, {world.commands}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"{seed}: FAILED in {world.root if options.keep else 'a world'}\n" + "\n".join(world.log) + f"\n{failure}", flush=True)
            if options.keep:
                continue
        shutil.rmtree(world.root, ignore_errors=True)
    print(f"{options.worlds} worlds, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
