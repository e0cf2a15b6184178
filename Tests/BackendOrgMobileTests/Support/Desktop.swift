import Foundation
import ProgramTesting

/// A desktop with real Emacs: a folder of Org files, a staging area, and the commands `org-mobile-push` and `org-mobile-pull`,
/// without questions and with a stopped clock.
final class Desktop: Sendable {
  let root: String
  let password: String?

  static let emacs: String? = ["/usr/bin/emacs", "/usr/local/bin/emacs"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let here = URL(filePath: #filePath).appending(path: "../..").standardizedFileURL.path

  init(_ files: [String: String] = [:], password: String? = nil) throws {
    root = NSTemporaryDirectory() + "org-mobile-\(UUID().uuidString)"
    self.password = password
    for folder in ["org", "staging"] {
      try FileManager.default.createDirectory(atPath: root + "/" + folder, withIntermediateDirectories: true)
    }
    for (name, text) in files { try write(text, to: "org/" + name) }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  var staging: String { root + "/staging" }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws {
    let path = root + "/" + name
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path))
  }

  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: root + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: root + "/" + name).map(Array.init) }

  /// Runs the real `org-mobile-push`; returns the lines of the script's report.
  @discardableResult
  func push(_ words: String...) throws -> [String] { try push(words) }

  @discardableResult
  func push(_ words: [String]) throws -> [String] { try run("push", words) }

  /// Runs the real `org-mobile-pull`.
  @discardableResult
  func pull(_ words: String...) throws -> [String] { try run("pull", words) }

  private func run(_ action: String, _ words: [String]) throws -> [String] {
    var command = Command(
      ["bash", Self.here + "/Emacs/emacs-orgmobile.sh", action, "--org-dir", root + "/org", "--staging", staging]
        + (password.map { ["--encrypt", $0] } ?? []) + words)
    command.environment["EOM_TIMEOUT"] = "1200"
    return try command.succeed().text.split(separator: "\n").map(String.init)
  }
}
