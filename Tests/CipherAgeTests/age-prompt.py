"""Runs a program that asks for a passphrase at its terminal, and answers: age-prompt.py PASSPHRASE PROGRAM ARGUMENT…"""

import os
import pty
import sys

answer = sys.argv[1].encode() + b"\n"
child, terminal = pty.fork()
last = b""
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
while True:
    try:
        text = os.read(terminal, 4096)
    except OSError:
        break
    if not text:
        break
    # The prompt and its repetition both end with this.
    for _ in range((last + text).count(b": ")):
        os.write(terminal, answer)
    last = text[-1:]
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
