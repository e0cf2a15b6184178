#!/usr/bin/env python3
"""Times syncd and rclone bisync on the same bucket of a real Ceph, in turn: first sync, nothing changed, 50 edits; with no added
round-trip and with 40 ms. Prints a Markdown table, and the bytes that went through the connections.

Needs Ceph (Debian: ceph-mon ceph-mgr ceph-osd radosgw) and rclone.
"""
import os
import subprocess

from turns import Place, Rclone, Syncd, main


class Bucket(Place):
    """Ceph with an empty bucket; each tool has a prefix of its own."""

    def __init__(self, arguments, work):
        self.work, self.run = work, work / "run"
        lines = subprocess.run(
            ["Scripts/s3-server.sh", "start", arguments.kind, "--run-dir", str(self.run), "--owner", str(os.getpid())],
            check=True, capture_output=True, text=True).stdout.splitlines()
        self.facts = dict(line.split("=", 1) for line in lines if "=" in line)
        self.own_port = int(self.facts["ENDPOINT"].rsplit(":", 1)[1].strip("/"))

    def create(self, mark):
        return mark

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def settings(self, tool):
        for name, fact in (("id", "ACCESS_KEY"), ("key", "SECRET_KEY")):
            (tool.home / name).touch(0o600)
            (tool.home / name).write_text(self.facts[fact] + "\n")
        return (f'cloud = "s3"\n[remotes.bench.s3]\nendpoint = "{self.endpoint}"\nbucket = "{self.facts["BUCKET"]}"\n'
                f'prefix = "{tool.remote}"\nregion = "{self.facts["REGION"]}"\naccess-key = {{ file = "id" }}\n'
                f'secret-key = {{ file = "key" }}\nproxy = "none"\n')

    def rclone(self, _):
        return (f"type = s3\nprovider = Ceph\naccess_key_id = {self.facts['ACCESS_KEY']}\n"
                f"secret_access_key = {self.facts['SECRET_KEY']}\nendpoint = {self.endpoint}\n"
                f"region = {self.facts['REGION']}\nforce_path_style = true\nno_check_bucket = true\n")

    def rclone_path(self, tool):
        return f"{self.facts['BUCKET']}/{tool.remote}"

    def stop(self):
        subprocess.run(["Scripts/s3-server.sh", "stop", "--run-dir", str(self.run)], check=False)


def tools(arguments, place):
    return [Syncd(arguments.syncd, place)] + [Rclone(int(n), place) for n in arguments.transfers.split(",")]


main(__doc__, Bucket, tools, lambda parser: parser.add_argument("--kind", default="ceph", help="kind of Scripts/s3-server.sh"))
