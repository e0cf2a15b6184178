"""Answers the questions of a program in a terminal, each after it was asked, as a person would.

Usage: terminal.py ANSWERS SHOWN PROGRAM ARGUMENT...

ANSWERS is a JSON file with the lines to type for each setting, in order; the name "" stands for questions without a setting. A
question without further lines gets an empty one. A control character is typed alone. A line that begins with "!" is a shell
command, which reads what was shown and prints the line to type. Writes all that the terminal showed into the file SHOWN, and
ends with the status of the program, or 128 and the number of the signal that ended it, as shells do.
"""
import codecs
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys

CONTROL = ("\x03", "\x04")
# A program that refuses every answer asks forever.
LIMIT = 60
# The seconds after which a program that shows nothing counts as hanging.
SILENCE = 300


def typed(line, shown):
    if line in CONTROL:
        return line
    if line.startswith("!"):
        line = subprocess.run(["sh", "-c", line[1:]], input=shown, capture_output=True, text=True).stdout.strip()
    return line + "\n"


with open(sys.argv[1], encoding="utf8") as file:
    answers = json.load(file)
# A prompt without a default is known by its setting: the terminal may show any line in pieces.
bare = "|".join(re.escape(key) for key in answers if key)
QUESTION = re.compile(
    rf"\n *(?P<key>[a-z-]+) \[[^\]\n]*\] $|\n *(?P<bare>{bare or 'url'}) $|\[[^\]\n]*\] $")
child, master = pty.fork()
if child == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
shown, answered, count = "", 0, 0
decoder = codecs.getincrementaldecoder("utf8")("replace")
while True:
    if not select.select([master], [], [], SILENCE)[0]:
        os.kill(child, signal.SIGKILL)
        break
    try:
        part = os.read(master, 4096)
    except OSError:
        break
    if not part:
        break
    shown += decoder.decode(part)
    question = QUESTION.search(shown, answered)
    if question:
        answered, count = len(shown), count + 1
        if count > LIMIT:
            os.kill(child, signal.SIGKILL)
            break
        lines = answers.get(question["key"] or question["bare"] or "", [])
        os.write(master, typed(lines.pop(0) if lines else "", shown).encode())
with open(sys.argv[2], "w", encoding="utf8") as file:
    file.write(shown)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
