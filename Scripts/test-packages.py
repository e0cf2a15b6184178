#!/usr/bin/env python3
"""Test the release archive and the packages, made from the release build.

Usage: test-packages.py [TEST ...]

Nothing is installed on this machine: packages are installed into folders. A test whose program is not installed is skipped with
a message. SYNCD names another program to package, in the folder of its build.
"""
import atexit
import functools
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPTS = os.path.join(ROOT, "Scripts")


def run(*command, check=True, folder=None, **variables):
    """Runs a program and returns its output; the test fails if the program does, unless `check` is false."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, check=False,
                          env=os.environ | variables)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def needs(program):
    """Skips a test unless a program is installed."""
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


@functools.cache
def dist():
    """Makes the archive once; returns its folder and the names of the files."""
    folder = tempfile.mkdtemp(prefix="syncd-dist-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder, run(f"{SCRIPTS}/make-archive.sh", folder).split()


class PackageTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="syncd-packages-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


class Archive(PackageTest):
    """`make dist`."""

    def setUp(self):
        super().setUp()
        self.made, self.names = dist()

    def unpack(self):
        """Unpacks the archive; returns its only folder."""
        archive = next(name for name in self.names if name.endswith(".tar.gz") and "-debug" not in name)
        run("tar", "-xzf", archive, "-C", self.folder)
        return os.path.join(self.folder, os.listdir(self.folder)[0])

    def test_two_archives_of_one_build_are_identical(self):
        names = run(f"{SCRIPTS}/make-archive.sh", self.folder).split()
        for name, other in zip(self.names, names, strict=True):
            with open(name, "rb") as one, open(other, "rb") as two:
                self.assertEqual(hashlib.sha256(one.read()).digest(), hashlib.sha256(two.read()).digest(), name)

    def test_the_checksums_hold_and_a_changed_file_is_detected(self):
        run("sha256sum", "--check", "--strict", "SHA256SUMS", folder=self.made)
        shutil.copytree(self.made, f"{self.folder}/copy")
        with open(glob.glob(f"{self.folder}/copy/*.spdx.json")[0], "a", encoding="utf8") as file:
            file.write(" ")
        self.assertIn("FAILED", run("sha256sum", "--check", "SHA256SUMS", folder=f"{self.folder}/copy", check=False))

    def test_the_program_runs_is_stripped_and_has_its_symbols_in_the_other_archive(self):
        tree = self.unpack()
        self.assertRegex(run(f"{tree}/bin/syncd", "--version"), r"^\d+\.\d+")
        self.assertNotIn(".debug_info", run("readelf", "--sections", "--wide", f"{tree}/bin/syncd"))
        # It resolves every function before it starts, and looks up no library beside itself.
        dynamic = run("readelf", "--dynamic", "--wide", f"{tree}/bin/syncd")
        self.assertIn("BIND_NOW", dynamic)
        self.assertNotRegex(dynamic, r"R(UN)?PATH")
        debug = next(name for name in self.names if name.endswith("-debug.tar.gz"))
        os.makedirs(f"{self.folder}/debug")
        run("tar", "-xzf", debug, "-C", f"{self.folder}/debug")
        symbols = glob.glob(f"{self.folder}/debug/*/bin/.debug/syncd.debug")[0]
        self.assertIn(".debug_info", run("readelf", "--sections", "--wide", symbols))
        self.assertIn("syncd.debug", run("readelf", "--string-dump=.gnu_debuglink", f"{tree}/bin/syncd"))

    def test_the_archive_has_manuals_completions_units_and_licences(self):
        tree = self.unpack()
        for name in ["share/man/man1/syncd.1", "share/man/man5/syncd.toml.5", "share/bash-completion/completions/syncd",
                     "share/zsh/site-functions/_syncd", "share/fish/vendor_completions.d/syncd.fish",
                     "lib/systemd/user/syncd.service", "lib/systemd/system/syncd@.service", "share/doc/syncd/LICENSE"]:
            self.assertGreater(os.path.getsize(f"{tree}/{name}"), 100, name)
        with open(glob.glob(f"{self.made}/*.spdx.json")[0], encoding="utf8") as file:
            linked = {relation["relatedSpdxElement"].removeprefix("SPDXRef-") for relation in json.load(file)["relationships"]
                      if relation["relationshipType"] == "STATIC_LINK"}
        # Code in the public domain needs no text.
        self.assertEqual(set(os.listdir(f"{tree}/share/doc/syncd/licenses")), linked - {"xkcp"})

    def test_the_program_does_not_contain_the_folder_of_the_build(self):
        with open(f"{self.unpack()}/bin/syncd", "rb") as file:
            self.assertFalse(ROOT.encode() + b"/" in file.read(), f"the program contains {ROOT}/")


class BillOfMaterials(PackageTest):
    """The SBOM of `make dist`."""

    def setUp(self):
        super().setUp()
        self.made, _ = dist()
        self.path = glob.glob(f"{self.made}/*.spdx.json")[0]
        with open(self.path, encoding="utf8") as file:
            self.document = json.load(file)

    def test_the_fields_that_spdx_requires_are_present(self):
        for field in ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"]:
            self.assertTrue(self.document[field], field)
        self.assertTrue(self.document["creationInfo"]["created"] and self.document["creationInfo"]["creators"])
        identifiers = [package["SPDXID"] for package in self.document["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        for package in self.document["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            for field in ["name", "downloadLocation", "licenseDeclared", "copyrightText"]:
                self.assertTrue(package[field], f"{package['name']}: {field}")
        for relation in self.document["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, {"SPDXRef-DOCUMENT", *identifiers})

    def test_each_pinned_package_is_listed_with_its_revision_or_is_only_for_tests(self):
        locations = {package["name"]: package["downloadLocation"] for package in self.document["packages"]}
        with open(f"{ROOT}/Package.resolved", encoding="utf8") as file:
            pins = {pin["identity"]: pin["state"]["revision"] for pin in json.load(file)["pins"]}
        for name, revision in pins.items():
            if name not in ["flyingfox", "tomlkit"]:
                self.assertTrue(locations[name].endswith(f"@{revision}"), name)
        self.assertTrue({"boringssl", "libsqlite3-0", "libcurl4"} <= set(locations), sorted(locations))

    def test_the_checksum_is_that_of_the_archived_program(self):
        archive = next(name for name in glob.glob(f"{self.made}/*.tar.gz") if "-debug" not in name)
        with tarfile.open(archive) as tar:
            program = next(member for member in tar.getmembers() if member.name.endswith("/bin/syncd"))
            digest = hashlib.sha256(tar.extractfile(program).read()).hexdigest()
        self.assertEqual(self.document["packages"][0]["checksums"], [{"algorithm": "SHA256", "checksumValue": digest}])

    @unittest.skipUnless(os.path.exists(f"{ROOT}/.build/spdx-tools/bin/pyspdxtools"), "spdx-tools is not installed")
    def test_the_validator_of_spdx_accepts_it(self):
        run(f"{ROOT}/.build/spdx-tools/bin/pyspdxtools", "--infile", self.path)
        del self.document["packages"][0]["downloadLocation"]
        with open(f"{self.folder}/wrong.spdx.json", "w", encoding="utf8") as file:
            json.dump(self.document, file)
        self.assertIn("download_location",
                      run(f"{ROOT}/.build/spdx-tools/bin/pyspdxtools", "--infile", f"{self.folder}/wrong.spdx.json", check=False))


class Debian(PackageTest):
    """`make deb` and a repository for apt."""

    def setUp(self):
        super().setUp()
        self.packages = debs()
        self.package = self.packages[0]

    @needs("lintian")
    def test_lintian_finds_nothing(self):
        self.assertEqual(run("lintian", "--allow-root", "--fail-on", "none", *self.packages), "")

    def test_two_packages_of_one_build_are_identical(self):
        again = run(f"{SCRIPTS}/make-deb.sh", self.folder).split()
        for name, other in zip(self.packages, again, strict=True):
            with open(name, "rb") as one, open(other, "rb") as two:
                self.assertEqual(hashlib.sha256(one.read()).digest(), hashlib.sha256(two.read()).digest(), name)

    def root(self):
        """An empty root whose dpkg knows the packages of this machine; returns it with the options of dpkg."""
        root = f"{self.folder}/installed"
        for name in ["updates", "info", "triggers"]:
            os.makedirs(f"{root}/var/lib/dpkg/{name}")
        shutil.copy("/var/lib/dpkg/status", f"{root}/var/lib/dpkg/status")
        return root, [f"--admindir={root}/var/lib/dpkg", f"--instdir={root}", "--log=/dev/null", "--force-not-root"]

    def test_it_installs_completely_and_is_removed_without_a_trace(self):
        root, options = self.root()
        run("dpkg", *options, "--install", self.package)
        for name in ["usr/lib/systemd/user/syncd.service", "usr/lib/systemd/system/syncd@.service", "usr/share/man/man1/syncd.1.gz",
                     "usr/share/bash-completion/completions/syncd", "usr/share/zsh/vendor-completions/_syncd",
                     "usr/share/fish/vendor_completions.d/syncd.fish", "usr/share/doc/syncd/copyright"]:
            self.assertTrue(os.path.getsize(f"{root}/{name}"), name)
        os.makedirs(f"{self.folder}/org")
        os.makedirs(f"{self.folder}/usb")
        with open(f"{self.folder}/org/a.org", "w", encoding="utf8") as file:
            file.write("* A\n")
        syncd = [f"{root}/usr/bin/syncd", "--settings", f"{self.folder}/settings.toml"]
        run(*syncd, "init", "--store", f"{self.folder}/org", "--folder", f"{self.folder}/usb")
        run(*syncd, "--once", XDG_STATE_HOME=f"{self.folder}/state")
        self.assertTrue(os.path.exists(f"{self.folder}/usb/a.org"))
        run("dpkg", *options, "--purge", "syncd")
        self.assertFalse(os.path.exists(f"{root}/usr"))

    def test_the_helper_is_a_package_of_its_own_which_syncd_finds(self):
        if len(self.packages) < 2:
            self.skipTest("libtorrent-rasterbar-dev is not installed")
        root, options = self.root()
        self.assertIn("dependency problems", run("dpkg", *options, "--install", self.packages[1], check=False))
        run("dpkg", *options, "--install", *self.packages)
        depends = run("dpkg-deb", "--field", self.packages[1], "Depends")
        for library in ["libtorrent-rasterbar2.0", "libstdc++6"]:
            self.assertIn(library, depends)
        self.assertNotIn("libtorrent", run("dpkg-deb", "--field", self.package, "Depends"))
        self.assertNotIn(".symtab", run("readelf", "--sections", "--wide", f"{root}/usr/libexec/syncd/syncd-torrent"))
        os.makedirs(f"{self.folder}/org")
        with open(f"{self.folder}/settings.toml", "w", encoding="utf8") as file:
            file.write(f'[syncd]\nstate = "state"\n[store]\npath = "org"\n[remotes.mesh]\nsync = "bittorrent"\n'
                       '[remotes.mesh.bittorrent]\nsecret = { file = "secret" }\nlisten = ["127.0.0.1"]\nlocal-discovery = false\n'
                       'wait = "1s"\n')
        syncd = [f"{root}/usr/bin/syncd", "--settings", f"{self.folder}/settings.toml"]
        run("sh", "-c", 'echo new | "$0" "$@"', *syncd, "login", "mesh")
        # No other helper is in the path.
        self.assertIn("syncd-torrent runs and listens", run(*syncd, "doctor", "mesh", check=False, PATH="/usr/bin:/bin"))
        run("dpkg", *options, "--purge", "syncd-torrent")
        self.assertIn("cannot run `syncd-torrent`", run(*syncd, "doctor", "mesh", check=False, PATH="/usr/bin:/bin"))
        self.assertFalse(os.path.exists(f"{root}/usr/libexec"))

    def test_the_completions_are_accepted_by_their_shells(self):
        root, options = self.root()
        run("dpkg", *options, "--install", self.package)
        for shell, name in [("bash", "bash-completion/completions/syncd"), ("zsh", "zsh/vendor-completions/_syncd"),
                            ("fish", "fish/vendor_completions.d/syncd.fish")]:
            if shutil.which(shell):
                run(shell, "-n", f"{root}/usr/share/{name}")
            else:
                print(f"{shell} is not installed; its completions are not checked")

    @needs("apt-ftparchive")
    @needs("gpg")
    def test_apt_installs_from_the_repository_only_if_it_is_signed(self):
        root, options = self.root()
        home, repository = f"{self.folder}/gnupg", f"{self.folder}/repository"
        os.makedirs(home, mode=0o700)
        self.addCleanup(run, "gpgconf", "--kill", "all", check=False, GNUPGHOME=home)
        run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "repository@example.org", "ed25519", "sign", GNUPGHOME=home)
        run("gpg", "--batch", "--output", f"{self.folder}/key.gpg", "--export", "repository@example.org", GNUPGHOME=home)
        for name in ["lists/partial", "archives/partial"]:
            os.makedirs(f"{self.folder}/apt/{name}")
        with open(f"{self.folder}/apt/sources.list", "w", encoding="utf8") as file:
            file.write(f"deb [signed-by={self.folder}/key.gpg] file:{repository} stable main\n")
        places = {
            "Dir::Etc::SourceList": f"{self.folder}/apt/sources.list", "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State::Lists": f"{self.folder}/apt/lists", "Dir::Cache": f"{self.folder}/apt", "Dir::Log": f"{self.folder}/apt",
            "Dir::State::Status": f"{root}/var/lib/dpkg/status", "Dir::State": f"{self.folder}/apt",
            "APT::Sandbox::User": "root", "Debug::NoLocking": "true", "DPkg::Pre-Install-Pkgs": "", "DPkg::Post-Invoke": ""}
        apt = ["apt-get", *(word for key, value in places.items() for word in ["-o", f"{key}={value}"]),
               *(word for option in options for word in ["-o", f"Dpkg::Options::={option}"])]
        run(f"{SCRIPTS}/make-apt-repository.sh", repository, *self.packages)
        self.assertIn("is not signed", run(*apt, "update", check=False))
        run(f"{SCRIPTS}/make-apt-repository.sh", repository, *self.packages, SIGNING_KEY="repository@example.org", GNUPGHOME=home)
        run(*apt, "update")
        run(*apt, "install", "--yes", "--no-install-recommends", "syncd", DEBIAN_FRONTEND="noninteractive")
        self.assertRegex(run(f"{root}/usr/bin/syncd", "--version"), r"^\d+\.\d+")
        with open(glob.glob(f"{repository}/pool/*/*/*/syncd_*.deb")[0], "r+b") as file:
            file.write(b"?")
        run("dpkg", *options, "--purge", "syncd")
        self.assertNotIn("Setting up", run(*apt, "install", "--yes", "--no-install-recommends", "syncd", check=False))


@functools.cache
def debs():
    """Makes the Debian packages once; returns their names, first that of syncd."""
    folder = tempfile.mkdtemp(prefix="syncd-deb-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return [line for line in run(f"{SCRIPTS}/make-deb.sh", folder).splitlines() if line.endswith(".deb")]


@needs("rpmbuild")
class RPM(PackageTest):
    """The package of Packaging/rpm."""

    def setUp(self):
        super().setUp()
        lines = run(f"{SCRIPTS}/make-rpm.sh", f"{self.folder}/made").splitlines()
        self.packages = sorted(line for line in lines if line.endswith(".rpm"))
        self.package = next(name for name in self.packages if "syncd-torrent" not in name)

    def test_rpmlint_finds_nothing_and_the_package_unpacks_and_runs(self):
        if shutil.which("rpmlint"):
            run("rpmlint", "--config", f"{ROOT}/Packaging/rpm/rpmlint.toml", "--strict", *self.packages)
        os.makedirs(f"{self.folder}/installed")
        run("sh", "-c", f"rpm2cpio {self.package} | cpio -idm --quiet", folder=f"{self.folder}/installed")
        self.assertRegex(run(f"{self.folder}/installed/usr/bin/syncd", "--version"), r"^\d+\.\d+")
        self.assertIn("libsqlite3.so.0", run("rpm", "--query", "--requires", "--package", self.package))
        self.assertIn("libcurl.so.4", run("rpm", "--query", "--recommends", "--package", self.package))

    def test_the_helper_is_a_package_of_its_own(self):
        if len(self.packages) < 2:
            self.skipTest("libtorrent-rasterbar-dev is not installed")
        helper = next(name for name in self.packages if "syncd-torrent" in name)
        self.assertIn("libtorrent-rasterbar.so.2.0", run("rpm", "--query", "--requires", "--package", helper))
        self.assertIn("/usr/libexec/syncd/syncd-torrent", run("rpm", "--query", "--list", "--package", helper))
        self.assertNotIn("syncd-torrent", run("rpm", "--query", "--list", "--package", self.package))


class Recipes(PackageTest):
    """The formula, the flake and the container file. They are checked, not built: that needs a Mac, Nix and a registry."""

    @needs("ruby")
    def test_the_formula_is_ruby_and_names_the_source_archive(self):
        archive, formula = run(f"{SCRIPTS}/make-formula.sh", self.folder, "https://example.org/releases").split()
        run("ruby", "-c", formula)
        with open(archive, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        with open(formula, encoding="utf8") as file:
            text = file.read()
        self.assertIn(f'sha256 "{digest}"', text)
        self.assertIn(f'url "https://example.org/releases/{os.path.basename(archive)}"', text)
        self.assertNotIn("@", text)

    @needs("nix-instantiate")
    def test_the_flake_is_valid_nix(self):
        for name in ["flake.nix", "package.nix", "torrent.nix"]:
            run("nix-instantiate", "--parse", f"{ROOT}/Packaging/nix/{name}")

    @unittest.skipUnless(os.path.exists(f"{ROOT}/.build/hadolint/bin/hadolint"), "hadolint is not installed")
    def test_hadolint_finds_nothing_in_the_container_file(self):
        run(f"{ROOT}/.build/hadolint/bin/hadolint", f"{ROOT}/Packaging/container/Containerfile")

    def test_the_container_runs_without_privileges(self):
        with open(f"{ROOT}/Packaging/container/Containerfile", encoding="utf8") as file:
            last = file.read().split("\nFROM ")[-1]
        self.assertRegex(last, r"\nUSER 10001:10001\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=2)
