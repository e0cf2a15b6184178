import Foundation
import ProgramTesting
import Testing

private let emacsIsThere = (try? Command(["emacs", "--version"]).run().status) == 0

/// `Extras/emacs/syncd.el` in a real Emacs, with a real service.
@Suite("syncd.el", .enabled(if: emacsIsThere, "*** Emacs is not installed: syncd.el is not tested ***"))
struct EmacsTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL.appending(path: "Extras/emacs/syncd.el").path

  private static let driver = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Support/emacs.el").path

  @Test("syncd.el compiles without a warning")
  func compiles() throws {
    let sandbox = try Sandbox()
    let outcome = try Command([
      "emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "--eval",
      "(setq byte-compile-dest-file-function (lambda (_) \"\(sandbox.path("syncd.elc"))\"))", "-f",
      "batch-byte-compile",
      Self.package,
    ]).run()
    #expect(outcome.status == 0 && sandbox.read("syncd.elc") != nil, "\(outcome.story)")
  }

  @Test("syncd.el shows the status, syncs after a save, reverts changed buffers, and resolves a conflict")
  func works() throws {
    let sandbox = try Sandbox(settings: "interval = \"1h\"\nquiet = \"50ms\"\nconflicts = \"keep-both\"")
    for file in ["a", "c"] { try sandbox.write("* \(file.uppercased())\n", to: "org/\(file).org") }
    try sandbox.once()
    try sandbox.write("* C\nours\n", to: "org/c.org")
    try sandbox.write("* C\ntheirs\n", to: "home/c.org")
    #expect(try sandbox.syncd("--once").status == 3)
    let service = try sandbox.command([]).start()
    var command = Command(["emacs", "-Q", "--batch", "-l", Self.package, "-l", Self.driver])
    command.environment["SANDBOX"] = sandbox.root
    command.environment["SYNCD"] = Sandbox.binary
    let outcome = try command.run()
    service.kill(SIGTERM)
    _ = try service.wait()
    #expect(outcome.status == 0 && outcome.text.hasSuffix("done\n"), "\(outcome.story)")
  }
}
