#!/usr/bin/env python3
"""Check comments, messages, help texts, scripts and documents against Scripts/prose/rules.txt.

Usage: check-prose.py [PATH ...]

Without a path, check the whole tree.
Print FILE:LINE: "what was found": what to write instead. Exit 1 if anything was found.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RULES = os.path.join(ROOT, "Scripts/prose/rules.txt")
WHOLE_TREE = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "Sources", "Tests", "Emulators", "Plugins",
              "Examples", "Benchmarks", "Scripts", "Extras", "Packaging", "Makefile", "Package.swift"]
# Replaces an interpolated value, so that a rule can match the words around it.
VALUE = "\N{REPLACEMENT CHARACTER}"


class Rule:
    """A pattern, its replacement, and an old text that it must match."""

    def __init__(self, pattern, advice, example):
        self.pattern = re.compile(pattern.replace("VALUE", VALUE))
        self.advice = advice
        self.example = example.replace("VALUE", VALUE)


def read_rules():
    """Reads the rules; ends the program if one does not match its own example."""
    rules = []
    with open(RULES, encoding="utf8") as file:
        blocks = [block for block in re.split(r"\n\s*\n", file.read()) if block.strip()]
    for block in blocks:
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if not lines:
            continue
        fields = dict(line.split(": ", 1) for line in lines)
        rules.append(Rule(fields["avoid"], fields["write"], fields["old"]))
    for rule in rules:
        if not rule.pattern.search(rule.example):
            sys.exit(f"check-prose: the rule {rule.pattern.pattern!r} does not find its example: {rule.example}")
    return rules


def swift_texts(text):
    """Yields (line, prose) for each comment and each string literal of Swift source."""
    line, i, end = 1, 0, len(text)
    while i < end:
        if text.startswith("//", i):
            stop = text.find("\n", i)
            stop = end if stop < 0 else stop
            yield line, text[i:stop].lstrip("/ ")
            i = stop
        elif text[i] == "#" and re.match(r'#+"', text[i:i + 8]):
            hashes = re.match(r"#+", text[i:]).group()
            stop = text.find('"' + hashes, i + len(hashes) + 1)
            stop = end if stop < 0 else stop + len(hashes) + 1
            line += text.count("\n", i, stop)
            i = stop
        elif text[i] == '"':
            literal, i, lines = swift_string(text, i)
            for offset, part in enumerate(literal.split("\n")):
                if is_sentence(part):
                    yield line + offset, part
            line += lines
        else:
            line += text[i] == "\n"
            i += 1


def swift_string(text, i):
    """Reads the literal at `i`. Returns its text with VALUE for each interpolation, the index after it, and its lines."""
    quote = '"""' if text.startswith('"""', i) else '"'
    begin, i, parts = i, i + len(quote), []
    while i < len(text) and not text.startswith(quote, i):
        if text.startswith("\\(", i):
            i = end_of_interpolation(text, i + 2)
            parts.append(VALUE)
        elif text[i] == "\\":
            parts.append({"n": "\n" if quote == '"""' else " ", "t": " ", '"': '"'}.get(text[i + 1:i + 2], ""))
            i += 2
        else:
            parts.append(text[i])
            i += 1
    return "".join(parts), i + len(quote), text.count("\n", begin, i)


def end_of_interpolation(text, i):
    """The index after the parenthesis that closes an interpolation whose content begins at `i`."""
    depth = 1
    while i < len(text) and depth:
        if text[i] == '"':
            _, i, _ = swift_string(text, i)
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return i


def is_sentence(text):
    """True if a string literal is a text for people: at least three words of letters, and not SQL."""
    if re.search(r"\b(SELECT|INSERT|DELETE FROM|UPDATE|ORDER BY|WHERE|NOT NULL)\b", text):
        return False
    return len(re.findall(r"[A-Za-z]{2,}|" + VALUE, text)) >= 3 and " " in text.strip()


def markdown_texts(text):
    """Yields (line, prose) for each line of Markdown outside of code blocks."""
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("    "):
            yield number, re.sub(r"\]\([^)]*\)", "]", line)


def script_texts(text):
    """Yields (line, prose) for each comment and each quoted text of a script, a makefile or Lisp."""
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.search(r"(?:^|\s)(?:#+|;+)\s+(.*)", line)
        if comment and not line.startswith("#!"):
            yield number, comment.group(1)
        for literal in re.findall(r'"([^"]*)"', line[:comment.start()] if comment else line):
            if is_sentence(literal):
                yield number, literal


def texts(path):
    """The prose of a file, depending on its kind; nothing for kinds without prose."""
    if path == RULES:
        return []
    name = os.path.basename(path)
    try:
        with open(path, encoding="utf8") as file:
            content = file.read()
    except UnicodeDecodeError:
        return []
    if name.endswith(".swift"):
        return swift_texts(content)
    if name.endswith(".md"):
        return markdown_texts(content)
    if name.endswith((".sh", ".py", ".el")) or name == "Makefile":
        return script_texts(content)
    if name.endswith((".h", ".c")):
        return ((number, line) for number, line in enumerate(content.split("\n"), 1) if re.match(r"\s*(//|/?\*)", line))
    return []


def files(paths):
    """All files in the paths, in order."""
    for path in paths:
        full = os.path.join(ROOT, path)
        if os.path.isfile(full):
            yield full
        for folder, folders, names in os.walk(full):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "Fixtures")
            yield from (os.path.join(folder, name) for name in sorted(names))


def plain(prose):
    """The prose without code in it: `code spans`, and the names of parameters."""
    prose = re.sub(r"`[^`]*`?", "`code`", prose)
    return re.sub(r"^\s*- (?:Parameter )?\w+:", "", prose)


def main(arguments):
    rules = read_rules()
    found = 0
    for path in files(arguments or WHOLE_TREE):
        for number, prose in texts(path):
            prose = plain(prose)
            for rule in rules:
                match = rule.pattern.search(prose)
                if match:
                    found += 1
                    what = match.group().replace(VALUE, "…").strip()
                    print(f"{os.path.relpath(path, ROOT)}:{number}: \"{what}\": {rule.advice}")
    if found:
        print(f"check-prose: {found} place{'' if found == 1 else 's'} to rewrite", file=sys.stderr)
        sys.exit(1)


main(sys.argv[1:])
