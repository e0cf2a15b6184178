import Foundation
import ProgramTesting

/// Runs plain `git`, like a user in a terminal, without this machine's configuration.
@discardableResult
func git(
  _ words: String..., in folder: String? = nil, variables: [String: String] = [:], mayFail: Bool = false
) throws -> String {
  try run(["git"] + words, in: folder, variables: variables, mayFail: mayFail)
}

/// The environment variables of plain programs.
let plainVariables = [
  "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "/nonexistent",
  "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8",
  "GIT_AUTHOR_NAME": "Hand", "GIT_AUTHOR_EMAIL": "hand@example.org", "GIT_COMMITTER_NAME": "Hand",
  "GIT_COMMITTER_EMAIL": "hand@example.org",
]

/// Runs a program to its end and returns its output.
@discardableResult
func run(
  _ words: [String], in folder: String? = nil, variables: [String: String] = [:], mayFail: Bool = false
) throws -> String {
  var command = Command(words)
  command.environment = plainVariables.merging(variables) { $1 }
  command.folder = folder
  let outcome = try mayFail ? command.run() : command.succeed()
  return outcome.text + outcome.err
}

extension Optional {
  /// The value; throws if there is none.
  func orThrow(_ reason: String) throws -> Wrapped {
    guard let self else { throw TestFailure(reason) }
    return self
  }
}

/// Prints prominently that a test was skipped.
func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }
