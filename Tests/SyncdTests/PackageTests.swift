import Foundation
import ProgramTesting
import Testing

/// `make install` and `make deb`, with the program that the tests run.
@Suite("Packages") struct PackageTests {
  private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts")
    .standardizedFileURL.path

  private func script(_ words: [String]) throws -> Outcome {
    var command = Command(words)
    command.environment["SYNCD"] = Sandbox.binary
    return try command.run()
  }

  @Test("an installation below a prefix runs, and has its manual, completions, service and Emacs package")
  func install() throws {
    let sandbox = try Sandbox()
    let outcome = try script(["\(Self.scripts)/install.sh", "/opt/syncd", sandbox.path("root")])
    #expect(outcome.status == 0, "\(outcome.story)")
    let root = "root/opt/syncd"
    let version = try Command([sandbox.path("\(root)/bin/syncd"), "--version"]).run()
    #expect(version.text.first?.isNumber == true, "\(version.story)")
    for file in [
      "share/man/man1/syncd.1", "share/man/man5/syncd.toml.5", "share/man/man7/syncd-folder.7",
      "share/bash-completion/completions/syncd", "share/emacs/site-lisp/syncd.el",
    ] {
      #expect(sandbox.read("\(root)/\(file)")?.isEmpty == false, "\(file)")
    }
    for file in ["user/syncd.service", "system/syncd@.service"] {
      let unit = sandbox.read("\(root)/lib/systemd/\(file)")
      #expect(unit?.contains("ExecStart=/opt/syncd/bin/syncd\n") == true, "\(unit ?? "no unit")")
    }
  }

  @Test("a Debian package installs into a clean root and is removed without a trace")
  func debian() throws {
    guard try Command(["sh", "-c", "command -v dpkg-shlibdeps strip"]).run().status == 0 else {
      return skip("dpkg-dev or binutils is not installed")
    }
    let sandbox = try Sandbox()
    let made = try script(["\(Self.scripts)/make-deb.sh", sandbox.path("made")])
    #expect(made.status == 0, "\(made.story)")
    // The package of the BitTorrent helper is made where libtorrent is installed.
    let files = made.text.split(separator: "\n").map(String.init)
    let names = ["syncd", "syncd-torrent"].prefix(files.count)
    #expect(!files.isEmpty && files.count <= 2, "\(made.story)")
    let dpkg = ["--admindir=\(sandbox.path("root/var/lib/dpkg"))", "--instdir=\(sandbox.path("root"))"]
    for folder in ["updates", "info", "triggers"] {
      try FileManager.default.createDirectory(
        atPath: sandbox.path("root/var/lib/dpkg/\(folder)"), withIntermediateDirectories: true)
    }
    for file in ["status", "available"] { try sandbox.write("", to: "root/var/lib/dpkg/\(file)") }
    func install(_ words: [String]) throws {
      let outcome = try Command(["dpkg"] + dpkg + ["--log=/dev/null", "--force-not-root", "--force-depends"] + words)
        .run()
      #expect(outcome.status == 0, "\(outcome.story)")
    }
    try install(["--install"] + files)
    #expect(try Command([sandbox.path("root/usr/bin/syncd"), "--version"]).run().status == 0)
    #expect(FileManager.default.fileExists(atPath: sandbox.path("root/usr/share/man/man1/syncd.1.gz")))
    #expect(FileManager.default.fileExists(atPath: sandbox.path("root/usr/lib/systemd/user/syncd.service")))
    let helper = sandbox.path("root/usr/libexec/syncd/syncd-torrent")
    #expect(FileManager.default.isExecutableFile(atPath: helper) == names.contains("syncd-torrent"))
    try install(["--purge"] + names.reversed())
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("root/usr")))
  }
}
