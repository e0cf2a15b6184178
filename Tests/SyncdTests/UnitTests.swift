import Foundation
import ProgramTesting
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite("The systemd unit and the process") struct UnitTests {
  @Test("the unit limits system calls and memory", arguments: ["systemd", "systemd-system"])
  func limits(manager: String) throws {
    let unit = try Sandbox().syncd("service", "print", "--for", manager).text
    for line in ["LimitCORE=0", "MemoryMax=1G", "NoNewPrivileges=yes", "SystemCallFilter=@system-service"] {
      #expect(unit.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test("systemd rates the system unit as well protected")
  func exposure() throws {
    let sandbox = try Sandbox()
    try sandbox.write(try sandbox.syncd("service", "print", "--for", "systemd-system").text, to: "syncd@.service")
    let outcome = try Command(["systemd-analyze", "security", "--offline=true", sandbox.path("syncd@.service")]).run()
    guard outcome.text.contains("Overall exposure level") else { return skip("systemd-analyze cannot rate a file") }
    let level = outcome.text.firstMatch(of: /exposure level for [^:]*: ([0-9.]+)/).flatMap { Double($0.1) }
    #expect(try #require(level) <= 2.5, "\(outcome.story)")
  }

  @Test("syncd can sync every kind of remote within the unit's limits")
  func works() throws {
    let sandbox = try Sandbox(remotes: [], inMemory: true)
    let remotes = [
      "disk": ("plain-files", "cloud = \"folder\"", "folder", "path = \"disk\"\ncreate = true"),
      "safe": (
        "plain-files", "cloud = \"folder\"\nencryption = \"gpg\"", "folder",
        "path = \"safe\"\ncreate = true\n[remotes.safe.gpg]\nrecipients = [\"ann@example.org\"]\nhomedir = \"gnupg\""
      ),
      "repository": ("git", "", "git", "url = \"/home/ann/repository.git\"\nbranch = \"main\""),
      "far": (
        "rsync-ssh", "", "rsync-ssh",
        """
        host = "far"
        path = "/home/ann/far"
        transport = "ssh-command"
        ssh-command = ["/bin/sh", "-c", 'for line; do :; done; exec /bin/sh -c "$line"', "ssh"]
        """
      ),
      "box": (
        "plain-files", "cloud = \"dropbox\"", "dropbox",
        "app-key = \"k\"\nrefresh-token = { file = \"token\" }\nroot = \"/org\"\napi-url = \"ADDRESS\""
      ),
    ]
    let settings = remotes.map { name, parts in
      "[remotes.\(name)]\nsync = \"\(parts.0)\"\n\(parts.1)\n[remotes.\(name).\(parts.2)]\n\(parts.3)\n"
    }
    try sandbox.write((sandbox.read("s.toml") ?? "") + settings.sorted().joined(), to: "s.toml")
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.write("token-of-the-test\n", to: "token")
    let script = """
      set -e
      mkdir -m 700 gnupg && gpg --homedir gnupg --batch --quiet --passphrase '' --quick-gen-key ann@example.org
      git init -q --bare -b main repository.git
      dropbox-emulator >address & emulator=$!
      until grep -q URL= address; do sleep 0.1; done
      sed -i "s|ADDRESS|$(sed 's/URL=//' address)|" s.toml
      status=0; syncd --settings s.toml --once -v || status=$?
      echo "* B" >org/b.org; syncd --settings s.toml --once -v || status=$?
      syncd --settings s.toml doctor || status=$?
      for place in /usr/x /etc/x /opt/x /var/x; do if (: >$place) 2>/dev/null; then echo "wrote $place"; fi; done
      kill $emulator; gpgconf --homedir gnupg --kill all; exit $status
      """
    try sandbox.write(script, to: "script")
    try Command(["chmod", "600", sandbox.path("token")]).succeed()
    _ = try Command(["chown", "-R", "65534:65534", sandbox.root]).run()
    let unit = NSTemporaryDirectory() + "syncd-unit-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: unit) }
    try sandbox.syncd("service", "print", "--for", "systemd-system").out.write(to: URL(filePath: unit))
    let runner = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Support/unit-sandbox.py").path
    let programs = URL(filePath: Sandbox.binary).deletingLastPathComponent().path
    let outcome = try Command(["python3", runner, unit, sandbox.root, programs, "sh", "script"]).run()
    if outcome.status == 77 { return skip(outcome.err.trimmingCharacters(in: .newlines)) }
    #expect(outcome.status == 0 && !outcome.text.contains("wrote "), "\(outcome.story)")
    for name in remotes.keys { #expect(outcome.text.contains("\(name): 1 copied"), "\(name): \(outcome.story)") }
    #expect(sandbox.read("disk/b.org") == "* B\n" && sandbox.read("far/b.org") == "* B\n", "\(outcome.story)")
  }

  #if os(Linux)
    @Test("core dumps and other processes of the user cannot read syncd's memory, which contains keys")
    func memory() throws {
      let sandbox = try Sandbox(inMemory: true)
      // Root can read the memory of every process, another user only that of their own, such as `sleep`.
      let isRoot = geteuid() == 0
      if isRoot { try Command(["chown", "-R", "65534:65534", sandbox.root]).succeed() }
      let rights = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []
      let script = """
        cd "$1"; shift
        reads() { cat "/proc/$1/environ" >/dev/null 2>&1 && echo yes || echo no; }
        "$@" 2>/dev/null & id=$!
        until [ -S state/control ] || ! kill -0 $id; do sleep 0.1; done
        echo "syncd: $(reads $id), $(grep -c '^Max core file size *0 *0 ' /proc/$id/limits)"
        kill -9 $id; wait $id 2>/dev/null
        sleep 60 & echo "sleep: $(reads $!)"; kill $!
        """
      let words = ["sh", "-c", script, "sh", sandbox.root, Sandbox.binary, "--settings", sandbox.path("s.toml")]
      let outcome = try Command(rights + words).run()
      #expect(outcome.text.split(separator: "\n") == ["syncd: no, 1", "sleep: yes"], "\(outcome.story)")
    }
  #endif
}
