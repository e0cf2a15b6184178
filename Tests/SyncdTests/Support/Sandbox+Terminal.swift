import Foundation
import ProgramTesting

/// A dialog of the program with a person at a terminal.
struct TerminalDialog {
  let outcome: Outcome
  /// Everything that the terminal showed.
  let shown: String
}

extension Sandbox {
  /// Runs the program in a terminal, with the sandbox as the home folder.
  ///
  /// - Parameter typed: the lines to type for each setting, in order; the name "" stands for questions without a setting. An
  ///   empty line answers all other questions. A line that begins with `!` is a shell command, which reads what was shown and
  ///   prints the line to type.
  func dialog(
    _ words: [String], typed: [String: [String]], settings: String = "s.toml", folder: String? = nil,
    variables: [String: String] = [:]
  ) throws -> TerminalDialog {
    let id = UUID().uuidString
    try write(String(decoding: try JSONEncoder().encode(typed), as: UTF8.self), to: "\(id).answers")
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "terminal.py").path
    var command = Command(
      ["python3", script, path("\(id).answers"), path("\(id).shown"), Self.binary, "--settings", path(settings)] + words
    )
    command.environment["HOME"] = root
    command.environment.merge(variables) { $1 }
    command.folder = folder ?? root
    let outcome = try command.run()
    defer { try? remove("\(id).answers", "\(id).shown") }
    return TerminalDialog(outcome: outcome, shown: read("\(id).shown") ?? outcome.story)
  }
}
