#!/usr/bin/env python3
"""Times syncd, rclone bisync, Unison over ssh, and rsync on a folder that sshfs mounts (one way only) on the same sshd, in turn:
first sync, nothing changed, 50 edits; with no added round-trip and with 40 ms. Prints a Markdown table, and the bytes that
went through the connections.

A tool that is not installed is left out, which is said.
"""
import getpass
import os
import shutil
import subprocess
import sys

from turns import Place, Rclone, Syncd, Tool, main


class Host(Place):
    """sshd with its own sftp server and a folder."""

    # Version 3 of the protocol has whole seconds, and syncd trusts a time that is two seconds old.
    settling = 3.5

    def __init__(self, _, work):
        self.work, self.root, self.run = work, work / "root", work / "run"
        self.user = getpass.getuser()
        url = self.start("Scripts/sftp-server.sh", "openssh", "--root", str(self.root), "--run", str(self.run))
        self.own_port = int(url.rsplit(":", 1)[1].split("/")[0])

    def start(self, *command):
        return subprocess.run([command[0], "start", *command[1:], "--owner", str(os.getpid())], check=True, capture_output=True,
                              text=True).stdout.strip()

    def create(self, mark):
        (self.root / mark).mkdir(parents=True)
        return self.root / mark

    def known_hosts(self, tool):
        """The key of the host under the port that leads through the proxy."""
        key = (self.run / "known_hosts").read_text().split(" ", 1)[1]
        file = tool.home / "known_hosts"
        file.write_text(f"[127.0.0.1]:{self.port} {key}")
        return file

    def settings(self, tool):
        return (f'cloud = "sftp"\n[remotes.bench.sftp]\nhost = "127.0.0.1"\nport = {self.port}\nuser = "{self.user}"\n'
                f'path = "{tool.remote}"\nidentity-file = "{self.run}/identity"\nknown-hosts = "{self.known_hosts(tool)}"\n')

    def rclone(self, tool):
        return (f"type = sftp\nhost = 127.0.0.1\nport = {self.port}\nuser = {self.user}\nkey_file = {self.run}/identity\n"
                f"known_hosts_file = {self.known_hosts(tool)}\n")

    def rclone_path(self, tool):
        return tool.remote

    def ssh_options(self, tool):
        return ["-p", str(self.port), "-o", f"IdentityFile={self.run}/identity", "-o", f"UserKnownHostsFile={self.known_hosts(tool)}",
                "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes"]

    def stop(self):
        subprocess.run(["Scripts/sftp-server.sh", "stop", "--run", str(self.run)], check=False)


class Unison(Tool):
    """Unison with its program on the other side."""

    def sync(self):
        return ["unison", str(self.store), f"ssh://{self.place.user}@127.0.0.1/{self.remote}", "-batch", "-silent", "-times",
                "-sshargs", " ".join(self.place.ssh_options(self))]

    def environment(self):
        return dict(super().environment(), UNISON=str(self.state))


class SSHFS(Tool):
    """rsync to a folder that sshfs mounts for the time of the copy: one direction only."""

    def sync(self):
        mount = self.home / "mount"
        mount.mkdir(exist_ok=True)
        where = " ".join(self.place.ssh_options(self))
        return ["sh", "-ec", f"sshfs {where} {self.place.user}@127.0.0.1:{self.remote} {mount}; "
                f"trap 'fusermount3 -u {mount}' EXIT; rsync -a {self.store}/ {mount}/"]


def tools(arguments, place):
    found = [Syncd(arguments.syncd, place)]
    peers = [("rclone", lambda: [Rclone(int(n), place) for n in arguments.transfers.split(",")]),
             ("unison", lambda: [Unison("unison", place)]), ("sshfs", lambda: [SSHFS("sshfs and rsync", place)])]
    for program, make in peers:
        if shutil.which(program):
            found += make()
        else:
            print(f"*** {program} is not installed; it is not measured ***", file=sys.stderr)
    return found


main(__doc__, Host, tools)
