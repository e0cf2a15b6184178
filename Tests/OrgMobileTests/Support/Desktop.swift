import Foundation

/// A desktop with real Emacs: a folder of Org files, a staging area, and the commands `org-mobile-push` and
/// `org-mobile-pull`, without questions and with a clock that stands still.
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

  /// Runs the real `org-mobile-push`; what the script reports, a line each.
  @discardableResult
  func push(_ words: String...) throws -> [String] { try run("push", words) }

  /// Runs the real `org-mobile-pull`.
  @discardableResult
  func pull(_ words: String...) throws -> [String] { try run("pull", words) }

  private func run(_ action: String, _ words: [String]) throws -> [String] {
    let arguments =
      [Self.here + "/Emacs/emacs-orgmobile.sh", action, "--org-dir", root + "/org", "--staging", staging]
      + (password.map { ["--encrypt", $0] } ?? []) + words
    let (status, output, errors) = try program("/bin/bash", arguments)
    guard status == 0 else { throw Trouble("\(action) ended with \(status): \(output) \(errors)") }
    return output.split(separator: "\n").map(String.init)
  }
}

struct Trouble: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Runs a program to its end.
func program(
  _ path: String, _ arguments: [String], input: [UInt8]? = nil
) throws -> (status: Int32, output: String, errors: String) {
  let folder = NSTemporaryDirectory() + "run-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  // Files, not pipes: a program that is started meanwhile would inherit the ends of a pipe.
  for name in ["out", "err"] { _ = FileManager.default.createFile(atPath: folder + "/" + name, contents: nil) }
  let process = Process()
  process.executableURL = URL(filePath: path)
  process.arguments = arguments
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = FileHandle(forWritingAtPath: folder + "/out")
  process.standardError = FileHandle(forWritingAtPath: folder + "/err")
  try process.run()
  process.waitUntilExit()
  let texts = ["out", "err"].map { name in
    String(decoding: FileManager.default.contents(atPath: folder + "/" + name) ?? Data(), as: UTF8.self)
  }
  return (process.terminationStatus, texts[0], texts[1])
}
