#!/usr/bin/env python3
"""List what a build of syncd is linked with, and under which licences.

Usage: dependencies.py sbom BUILD PROGRAM
       dependencies.py licenses BUILD FOLDER
       dependencies.py copyright BUILD

BUILD is the folder with the built program, such as .build/release; the objects in it tell which packages of Package.resolved are
linked, and which are only for tests. `sbom` prints a software bill of materials (SPDX 2.3) for PROGRAM, which may be a stripped
copy. `licenses` copies the licence texts into FOLDER. `copyright` prints Debian's file of that name. The output depends only on
the build and on SOURCE_DATE_EPOCH. Ends with an error if a linked module or a licence is unknown.
"""
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKOUTS = os.path.join(ROOT, ".build/checkouts")
SWIFT_LICENSE = "Apache-2.0 WITH Swift-exception"


class Component:
    """Software that is linked into the program, or that the program loads from the system."""

    def __init__(self, name, version, license_id, link, **more):
        self.name, self.version, self.license, self.link = name, version, license_id, link
        self.source = more.get("source")
        self.purl = more.get("purl")
        self.comment = more.get("comment")
        self.holder = more.get("holder", "NOASSERTION")
        self.texts = more.get("texts", [])

    @property
    def id(self):
        return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", self.name)


def fail(message):
    sys.exit(f"dependencies: {message}")


def read(path):
    with open(path, encoding="utf8", errors="replace") as file:
        return file.read()


def output(*command):
    """The output of a program; nothing if it fails or is not installed."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def linked_modules(build):
    """The names of the modules whose objects are linked into the program."""
    objects = os.path.join(build, "syncd.product/Objects.LinkFileList")
    if not os.path.exists(objects):
        fail(f"cannot find {objects}; build the program first")
    return sorted(set(re.findall(r"/(\w+)\.build/", read(objects))))


def own_modules():
    """The names of the targets of this package."""
    text = read(os.path.join(ROOT, "Package.swift"))
    return set(re.findall(r'arget\(\s*name: "([\w-]+)"', text)) | set(re.findall(r'^  "(\w+)",$', text, re.M)) \
        | set(re.findall(r'"(C\w+)": "\w+"', text))


def declared_targets(folder):
    """The names of the targets in a package's manifest, for those in a folder of another name."""
    manifest = os.path.join(folder, "Package.swift")
    if not os.path.exists(manifest):
        return set()
    return set(re.findall(r'\.(?:t|executableT)arget\(\s*name: "([\w-]+)"', read(manifest)))


def license_of(text, name):
    """The SPDX identifier of a licence text."""
    if "Apache License" in text:
        return SWIFT_LICENSE if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text and 'THE SOFTWARE IS PROVIDED "AS IS"' in text:
        return "MIT"
    return fail(f"unknown licence of {name}; add it to license_of")


def holder_of(text):
    """The first copyright notice of a text."""
    match = re.search(r"^\s*(Copyright (?:\(c\) )?(?:\(C\) )?\d.*)$", text, re.M | re.I)
    return match.group(1).strip() if match else "NOASSERTION"


def swift_packages(modules):
    """The Swift packages that the modules belong to, and the third-party code in them."""
    pins = json.loads(read(os.path.join(ROOT, "Package.resolved")))["pins"]
    found, rest = [], set(modules) - own_modules()
    for pin in pins:
        address = pin["location"].removesuffix(".git")
        folder = os.path.join(CHECKOUTS, address.rsplit("/", 1)[-1])
        inside = {name for name in rest for parent in ("", "Sources")
                  if os.path.isdir(os.path.join(folder, parent, name))} | rest & declared_targets(folder)
        if not inside:
            continue
        rest -= inside
        texts = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if re.match(r"(LICENSE|NOTICE)\b", name)]
        if not texts:
            fail(f"{address} has no licence text")
        license_text, version = read(texts[0]), pin["state"].get("version", pin["state"]["revision"])
        holders = [holder for holder in map(holder_of, map(read, reversed(texts))) if holder != "NOASSERTION"]
        found.append(Component(
            pin["identity"], version, license_of(license_text, address), "STATIC_LINK", texts=texts,
            source=f"git+{address}.git@{pin['state']['revision']}", holder=holders[0] if holders else "NOASSERTION",
            purl=f"pkg:swift/{address.removeprefix('https://')}@{version}"))
        for module, name in (("CCryptoBoringSSL", "boringssl"), ("CNIOBoringSSL", "boringssl-tls")):
            if module in inside:
                revision = re.search(r"[0-9a-f]{40}", read(f"{folder}/Sources/{module}/hash.txt")).group()
                found.append(Component(
                    name, revision, "Apache-2.0", "STATIC_LINK", texts=texts[:1],
                    source=f"git+https://boringssl.googlesource.com/boringssl@{revision}",
                    holder="The BoringSSL authors and the OpenSSL project authors", comment=f"Part of {pin['identity']}."))
        if "CXKCP" in inside:
            revision = re.search(r"-g([0-9a-f]+)\)", read(f"{folder}/Sources/CXKCP/vendored-sources.txt")).group(1)
            found.append(Component(
                "xkcp", revision, "CC0-1.0", "STATIC_LINK", source="git+https://github.com/XKCP/XKCP",
                comment="Part of swift-crypto; in the public domain."))
    if rest:
        fail(f"the linked modules {', '.join(sorted(rest))} belong to no package of Package.resolved")
    return found


def swift_runtime(program):
    """The runtime of Swift and its copy of ICU, if they are linked into the program."""
    if "libswiftCore.so" in output("readelf", "-d", program):
        return []
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))
    library = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("swift"))))
    icu = re.search(r'U_ICU_VERSION "(.*?)"', read(f"{library}/lib/swift_static/_foundation_unicode/uvernum.h"))
    if not version or not icu:
        fail("cannot find out the versions of Swift and ICU")
    texts = [f"{library}/share/swift/LICENSE.txt"]
    return [
        Component("swift-runtime", version.group(1), license_of(read(texts[0]), "Swift"), "STATIC_LINK", texts=texts,
                  source=f"git+https://github.com/swiftlang/swift@swift-{version.group(1)}-RELEASE",
                  holder="Apple Inc. and the Swift project authors",
                  comment="The library of Swift, with Foundation and Dispatch."),
        Component("icu", icu.group(1), "Unicode-3.0", "STATIC_LINK", texts=[f"{ROOT}/Packaging/licenses/ICU.txt"],
                  source="git+https://github.com/swiftlang/swift-foundation-icu", holder="Copyright (c) 2016-2024 Unicode, Inc.",
                  comment="Part of Foundation."),
    ]


def system_libraries(program):
    """The libraries of the system: those that are loaded at the start, and those that syncd loads when it needs them."""
    needed = re.findall(r"NEEDED.*\[(.*?)\]", output("readelf", "-d", program))
    opened = []
    for base, _, names in os.walk(os.path.join(ROOT, "Sources/CLibraries")):
        for name in names:
            opened += re.findall(r'struct library \w+ = \{"(lib\w+\.so)', read(os.path.join(base, name)))
    versions = {name: line.split(" => ")[-1] for line in output("/sbin/ldconfig", "-p").splitlines()
                for name in re.findall(r"^\s*(\S+)", line)}
    found = {}
    for prefix in sorted(needed) + sorted(opened):
        if prefix.startswith(("libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime", "ld-")):
            continue
        library = next((name for name in sorted(versions) if name == prefix or re.match(re.escape(prefix) + r"\.[\d.]+$", name)),
                       prefix)
        # dpkg knows a library by its name in /lib or in /usr/lib.
        path = os.path.realpath(versions.get(library, ""))
        owner = output("dpkg-query", "-S", path) or output("dpkg-query", "-S", path.removeprefix("/usr"))
        package = owner.split(":")[0] if library in versions else ""
        version = output("dpkg-query", "-W", "-f", "${Version}", package) if package else ""
        is_opened = prefix in opened
        name = package or library
        found[name] = Component(
            name, version or "NOASSERTION", "NOASSERTION", "OPTIONAL_DEPENDENCY_OF" if is_opened else "DYNAMIC_LINK",
            purl=f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}" if version else None,
            comment=f"Library {library} of the system, not part of the package; the version is the one of the build. "
                    + ("Loaded when a remote needs it." if is_opened else "Loaded at the start."))
    return list(found.values())


def components(build, program):
    return sorted(swift_packages(linked_modules(build)) + swift_runtime(program), key=lambda component: component.name)


def spdx_package(component):
    package = {
        "SPDXID": component.id, "name": component.name, "downloadLocation": component.source or "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": component.license,
        "copyrightText": component.holder, "supplier": "NOASSERTION"}
    if component.version != "NOASSERTION":
        package["versionInfo"] = component.version
    if component.comment:
        package["comment"] = component.comment
    if component.purl:
        package["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": component.purl}]
    return package


def relationship(component):
    """How the program depends on a component."""
    if component.link == "OPTIONAL_DEPENDENCY_OF":
        return {"spdxElementId": component.id, "relationshipType": component.link, "relatedSpdxElement": "SPDXRef-syncd"}
    return {"spdxElementId": "SPDXRef-syncd", "relationshipType": component.link, "relatedSpdxElement": component.id}


def sbom(build, program):
    """The bill of materials as a document of SPDX 2.3."""
    with open(program, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    version = output(program, "--version").split("\n", 1)[0]
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or fail("SOURCE_DATE_EPOCH is not set")
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    found = components(build, program) + system_libraries(program)
    syncd = spdx_package(Component("syncd", version, "MIT", "", holder=holder_of(read(os.path.join(ROOT, "LICENSE")))))
    syncd |= {"packageFileName": "bin/syncd", "primaryPackagePurpose": "APPLICATION",
              "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"syncd-{version}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: syncd-dependencies.py"]},
        "packages": [syncd] + [spdx_package(component) for component in found],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-syncd"}]
        + [relationship(component) for component in found]}
    content = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/syncd-{version}-{content}"
    print(json.dumps(document, indent=2, ensure_ascii=False))


def licenses(build, folder):
    """Copies the licence and notice of each linked component into a folder of its name."""
    for component in components(build, os.path.join(build, "syncd")):
        for text in component.texts:
            os.makedirs(os.path.join(folder, component.name), exist_ok=True)
            shutil.copyfile(text, os.path.join(folder, component.name, os.path.basename(text)))


def debian_text(text):
    """A text as the continuation lines of a field: indented, with a dot in empty lines."""
    return "".join(f" {line.rstrip()}\n" if line.strip() else " .\n" for line in text.strip("\n").split("\n"))


def copyright_file(build):
    """Prints the file debian/copyright: syncd, and the components that are linked into it."""
    found = components(build, os.path.join(build, "syncd"))
    own = read(os.path.join(ROOT, "LICENSE"))
    print("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: syncd\nComment:\n"
          " The program contains these components, which are not in the source of syncd:")
    for component in found:
        print(f"  - {component.name} {component.version} ({component.license})")
    print(f"\nFiles: *\nCopyright: {holder_of(own).removeprefix('Copyright (c) ')}\nLicense: MIT\n{debian_text(own.split(chr(10), 4)[4])}")
    for component in found:
        short = f"{component.name}-{component.license}".replace(" WITH ", "-with-")
        holder = f"The {component.name} authors" if component.holder == "NOASSERTION" else component.holder
        print(f"Files: {component.name}/*\nCopyright: {holder}\nLicense: {short}")
        print(debian_text("\n\n".join(debian_license(text) for text in component.texts) or component.comment))


def debian_license(path):
    """The text of a licence; Debian installs the Apache License once for all packages."""
    text = read(path)
    if "APPENDIX: How to apply the Apache License" not in text:
        return text
    exception = text.find("## Runtime Library Exception")
    return ("On Debian systems, the full text of the Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0."
            + ("\n\n" + text[exception:] if exception >= 0 else ""))


def main(arguments):
    match arguments:
        case ["sbom", build, program]:
            sbom(build, program)
        case ["licenses", build, folder]:
            licenses(build, folder)
        case ["copyright", build]:
            copyright_file(build)
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
