#!/usr/bin/env python3
"""Typechecks every module of the program as a whole, as an optimized build does.

    check-whole-modules.py [MODULE…]

A debug build compiles files one by one, and accepts some that the compiler refuses together with the others of their module: a member
of a C structure seems to come from another C module, once a file before it has loaded that. An optimized build takes too long for every
change. This uses the arguments and the imported modules of the debug build, which must be complete.
"""
import json, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["Sources", "Emulators"]
# Options with a value, and without one, that are about files to write or about compiling file by file.
WITH_VALUE = {"-output-file-map", "-emit-module-path", "-emit-objc-header-path", "-emit-const-values-path", "-index-store-path", "-num-threads"}
WITHOUT = {
    "-c", "-emit-module", "-emit-objc-header", "-emit-dependencies", "-incremental", "-enable-batch-mode", "-parseable-output",
    "-serialize-diagnostics", "-use-integrated-driver", "-whole-module-optimization"}


def modules():
    """The compiler's arguments for each module that a release has, from the plan of the last debug build."""
    plan = (ROOT / ".build/debug.yaml").read_text()
    found = {}
    for text in re.findall(r'^    args: (\["[^\n]*/swiftc"[^\n]*\])$', plan, re.M):
        arguments = json.loads(text)
        if "-module-name" not in arguments:
            continue
        name = arguments[arguments.index("-module-name") + 1]
        lists = [pathlib.Path(a[1:]) for a in arguments if a.startswith("@")]
        files = "".join(path.read_text() for path in lists if path.exists())
        if any(f"{ROOT}/{folder}/" in files for folder in FOLDERS):
            found[name] = arguments
    return found


def typecheck(arguments):
    kept, skips = [], False
    for argument in arguments:
        if skips:
            skips = False
        elif argument in WITH_VALUE:
            skips = True
        elif argument not in WITHOUT and not re.fullmatch(r"-j\d+", argument):
            kept.append(argument)
    return subprocess.run(kept + ["-whole-module-optimization", "-typecheck"], cwd=ROOT, capture_output=True, text=True)


def main():
    found = modules()
    names = sys.argv[1:] or sorted(found)
    unknown = [name for name in names if name not in found]
    if unknown or not found:
        sys.exit(f"check-whole-modules: the plan of the debug build has no module {', '.join(unknown) or 'at all'}; build first")
    failed = 0
    for name in names:
        result = typecheck(found[name])
        if result.returncode:
            failed += 1
            print(f"{name} does not compile as a whole:\n{result.stdout}{result.stderr}")
    print(f"check-whole-modules: {len(names)} modules, {failed} to correct")
    sys.exit(1 if failed else 0)


main()
