#!/usr/bin/env python3
"""Times syncd and rclone bisync on the same Apache, in turn: first sync, nothing changed, 50 edits; with no added round-trip
and with 40 ms. Prints a Markdown table, and the number of requests of each step.

The round-trip is added by a proxy that holds every piece of data for half of it in each direction.
"""
import os
import subprocess

from turns import Place, Rclone, Syncd, main


class Apache(Place):
    """Apache with an empty folder."""

    unit = "requests"

    def __init__(self, _, work):
        self.work, self.root, self.run = work, work / "root", work / "run"
        url = subprocess.run(["Scripts/webdav-server.sh", "start", "apache", "--root", self.root, "--run", self.run,
                              "--owner", str(os.getpid())], check=True, capture_output=True, text=True).stdout.strip()
        self.own_port = int(url.rsplit(":", 1)[1].strip("/"))

    def create(self, mark):
        (self.root / mark).mkdir()
        return f"http://127.0.0.1:{self.port}/{mark}/"

    def settings(self, tool):
        return (f'cloud = "webdav"\n[remotes.bench.webdav]\nurl = "{tool.remote}"\nproxy = "none"\n'
                f'connections = {tool.connections}\n')

    def rclone(self, tool):
        # Only for this vendor does rclone assume that times are kept, without which bisync does nothing.
        return f"type = webdav\nurl = {tool.remote}\nvendor = owncloud\n"

    def rclone_path(self, _):
        return ""

    def traffic(self):
        return len((self.run / "access.log").read_text().splitlines())

    def stop(self):
        subprocess.run(["Scripts/webdav-server.sh", "stop", "--run", self.run], check=False)


class Connected(Syncd):
    """syncd with this number of connections."""

    def __init__(self, binary, connections, place):
        super().__init__(binary, place, f", {connections} connections")
        self.connections = connections


def tools(arguments, place):
    return ([Connected(arguments.syncd, int(n), place) for n in arguments.connections.split(",")]
            + [Rclone(int(n), place) for n in arguments.transfers.split(",")])


main(__doc__, Apache, tools, lambda parser: parser.add_argument("--connections", default="16,64"))
