#!/usr/bin/env python3
"""Fetches a segment from a device with another BitTorrent client, and prints its SHA-256 tree root as this script computes it.

fetch-segment.py ROOT LENGTH PIECE PORT FOLDER     needs python3-libtorrent; exits with 3 without it
"""
import hashlib
import os
import sys
import time

try:
    import libtorrent
except ImportError:
    sys.exit(3)

BLOCK = 16_384


def bencoded(value):
    if isinstance(value, int):
        return b"i%de" % value
    if isinstance(value, bytes):
        return b"%d:%s" % (len(value), value)
    return b"d" + b"".join(bencoded(key) + bencoded(value[key]) for key in sorted(value)) + b"e"


def tree_root(path):
    with open(path, "rb") as file:
        layer = [hashlib.sha256(block).digest() for block in iter(lambda: file.read(BLOCK), b"")]
    while len(layer) & (len(layer) - 1):
        layer.append(bytes(32))
    while len(layer) > 1:
        layer = [hashlib.sha256(layer[i] + layer[i + 1]).digest() for i in range(0, len(layer), 2)]
    return layer[0].hex()


def main():
    root, length, piece, port, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    info = {
        b"file tree": {root.encode(): {b"": {b"length": length, b"pieces root": bytes.fromhex(root)}}}, b"meta version": 2,
        b"name": root.encode(), b"piece length": piece, b"private": 1}
    session = libtorrent.session({
        "listen_interfaces": "127.0.0.1:0", "enable_dht": False, "enable_lsd": False, "enable_upnp": False, "enable_natpmp": False,
        "in_enc_policy": 0, "out_enc_policy": 0, "enable_outgoing_utp": False, "enable_incoming_utp": False, "min_reconnect_time": 1,
        "allow_multiple_connections_per_ip": True})
    params = libtorrent.add_torrent_params()
    params.ti = libtorrent.torrent_info(bencoded({b"info": info}))
    params.save_path = folder
    params.flags = 0
    handle = session.add_torrent(params)
    for attempt in range(6000):
        if handle.status().is_seeding:
            break
        if attempt % 20 == 0:
            handle.connect_peer(("127.0.0.1", port))
        time.sleep(0.1)
    session.remove_torrent(handle)
    # The last blocks are written to the disk some time after they were received.
    path, found = os.path.join(folder, root), ""
    for _ in range(600):
        found = tree_root(path) if os.path.exists(path) and os.path.getsize(path) else ""
        if found == root:
            break
        time.sleep(0.1)
    print(found)


main()
