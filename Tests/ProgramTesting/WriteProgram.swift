import Foundation

/// Writes a script, or another program, into a file that can be run.
///
/// Another process copies it there. A file that this process has open for writing may be inherited by a program that another test starts at
/// that moment, and the system refuses to run a file that is open for writing anywhere.
public func writeProgram(_ text: String, to path: String, mode: String = "755") throws {
  let draft = path + ".draft"
  try Data(text.utf8).write(to: URL(filePath: draft))
  defer { try? FileManager.default.removeItem(atPath: draft) }
  try Command(["install", "-m", mode, draft, path]).succeed()
}
