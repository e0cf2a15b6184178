#!/usr/bin/env python3
"""Reads every content of an archive without syncd, by its description in docs/archive-format.md.

    read-archive.py FOLDER [TEXT]

Prints one JSON object: `contents` (number), `wrong` (digests of contents whose bytes do not match), `frames` (number of frames
in the pack files), `unread` (bytes in pack files that are in no frame), and `found`, the number of contents and unreferenced
frames that contain TEXT.
"""
import ctypes
import glob
import hashlib
import json
import os
import sqlite3
import sys

zstd = ctypes.CDLL("libzstd.so.1")
for name in ["ZSTD_decompressDCtx", "ZSTD_DCtx_refPrefix", "ZSTD_DCtx_reset", "ZSTD_findFrameCompressedSize",
             "ZSTD_decompressBound"]:
    getattr(zstd, name).restype = ctypes.c_ulonglong if name == "ZSTD_decompressBound" else ctypes.c_size_t
zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
context = ctypes.c_void_p(zstd.ZSTD_createDCtx())


def decompress(frame, former=b""):
    """The bytes of a frame; None if it is damaged or needs another former content."""
    room = zstd.ZSTD_decompressBound(frame, ctypes.c_size_t(len(frame)))
    if room > 1 << 32:
        return None
    out = ctypes.create_string_buffer(max(room, 1))
    zstd.ZSTD_DCtx_reset(context, 1)
    zstd.ZSTD_DCtx_refPrefix(context, former, ctypes.c_size_t(len(former)))
    size = zstd.ZSTD_decompressDCtx(context, out, ctypes.c_size_t(room), frame, ctypes.c_size_t(len(frame)))
    return None if zstd.ZSTD_isError(ctypes.c_size_t(size)) else out.raw[:size]


def main(folder, text=None):
    database = sqlite3.connect(f"file:{folder}/archive.sqlite?mode=ro", uri=True)
    rows = database.execute("SELECT digest, size, block, start FROM contents").fetchall()
    blocks = {row[0]: row[1:] for row in database.execute("SELECT id, pack, start, length, size, former FROM blocks")}
    places = {digest: (block, start, size) for digest, size, block, start in rows}
    packs = {int(os.path.basename(path)[:-5]): open(path, "rb").read() for path in glob.glob(f"{folder}/contents/*.pack")}

    def read(digest):
        block, start, size = places[digest]
        if block is None:
            path = f"{folder}/contents/{digest.hex()[:2]}/{digest.hex()[2:]}"
            if os.path.exists(path):
                return open(path, "rb").read()
            return decompress(open(path + ".zst", "rb").read()) or b"damaged"
        pack, begin, length, whole, former = blocks[block]
        frame = packs[pack][begin:begin + length]
        bytes = decompress(frame, read(former) if former else b"")
        return bytes[start:start + size] if bytes is not None and len(bytes) == whole else b"damaged"

    answer = {"contents": len(rows), "wrong": [], "frames": 0, "unread": 0, "found": 0}
    for digest in places:
        bytes = read(digest)
        if hashlib.sha256(bytes).digest() != digest:
            answer["wrong"].append(digest.hex())
        answer["found"] += bool(text) and text in bytes
    for pack in packs.values():
        rest = pack
        while rest:
            size = zstd.ZSTD_findFrameCompressedSize(rest, ctypes.c_size_t(len(rest)))
            if zstd.ZSTD_isError(ctypes.c_size_t(size)):
                answer["unread"] += len(rest)
                break
            answer["frames"] += 1
            answer["found"] += bool(text) and text in (decompress(rest[:size]) or b"")
            rest = rest[size:]
    print(json.dumps(answer))


main(sys.argv[1], sys.argv[2].encode() if len(sys.argv) > 2 else None)
