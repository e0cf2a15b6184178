internal import SyncKit

/// A change of a file that passed the initial checks.
struct FileChange {
  /// The index of its result.
  let index: Int
  let change: Change
  let temporary: Temporary
  /// The content to replace; nil if no file exists.
  let expected: Digest?
  /// The facts of the file to replace.
  let present: FileFacts?
  /// The name that the file has already; nil for a change that is not the second half of a rename.
  var newPath: SyncPath?
  /// The facts of the staged content.
  var staged: FileFacts?

  var path: SyncPath { change.path }

  /// The journal record that later proves the write; nil for a removal.
  func evidence(root: String) -> WriteEvidence? {
    change.content.map {
      WriteEvidence(path: path, temporary: temporary, expected: expected, new: $0.digest, root: root)
    }
  }

  /// The journal record; nil if nothing is replaced, because then nothing can be lost.
  func intent(_ kind: Intent.Kind, root: String) -> Intent? {
    expected.map {
      Intent(
        kind: kind, path: path, temporary: temporary, expected: $0, new: change.content?.digest, newPath: newPath,
        root: root)
    }
  }
}
