internal import SyncKit

/// A change that can be made, as far as could be seen, on its way into the tree.
struct FileChange {
  /// Where its result belongs.
  let index: Int
  let change: Change
  let temporary: Temporary
  /// The content that is to be replaced; nil if nothing is there.
  let expected: Digest?
  /// The facts of the file that is to be replaced.
  let present: FileFacts?
  /// The facts of the new content under the temporary name.
  var staged: FileFacts?

  var path: SyncPath { change.path }

  /// Its record in the journal that proves the write afterwards; nil if it is a removal.
  func evidence(root: String) -> WriteEvidence? {
    change.content.map {
      WriteEvidence(path: path, temporary: temporary, expected: expected, new: $0.digest, root: root)
    }
  }

  /// Its record in the journal; nil if nothing is replaced, because then nothing can be lost.
  func intent(_ kind: Intent.Kind, root: String) -> Intent? {
    expected.map {
      Intent(
        kind: kind, path: path, temporary: temporary, expected: $0, new: change.content?.digest, root: root)
    }
  }
}
