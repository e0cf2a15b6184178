package import SyncKit

extension SyncError {
  /// The message, with the command that applies the remedy.
  package var explanation: String { remedy.map { "\(message); \($0.instruction)" } ?? message }
}

extension SyncError.Remedy {
  /// The instruction, with the command.
  package var instruction: String {
    switch self {
    case .signIn(let remote): "run `\((["syncd login"] + [remote].compactMap(\.self)).joined(separator: " "))`"
    case .rekey(let remote): "run `syncd rekey \(remote)`"
    case .trust(let remote):
      "`syncd status` shows it there, and `syncd trust \(remote) FINGERPRINT` accepts it here"
    case .reset(let remote):
      "if the remote was emptied, replaced or restored on purpose, run `syncd remote reset \(remote)`"
    case .restore(let path): "`syncd restore \(path)` undoes this"
    case .diagnose(let remote): "`syncd doctor \(remote)` shows what is missing"
    case .sync: "run `syncd --once` first"
    case .reviewHolds: "`syncd status` shows what is held"
    case .repairStore: "run `syncd store repair`, which keeps the damaged file and restores its files"
    case .moveStateAside: Self.moveAside("the state folder")
    }
  }

  /// Returns the instruction for continuing without the content of `folder`.
  package static func moveAside(_ folder: String) -> String {
    "move \(folder) aside and run again: syncd then merges both sides and deletes nothing"
  }
}
