internal import SyncKit

/// A change that can be made, as far as could be seen, on its way into the tree.
struct Work {
  /// Where its result belongs.
  let index: Int
  let change: Change
  let temporary: Temporary
  /// The content that is to be displaced; nil if nothing is there.
  let expected: Digest?
  /// The facts of the file that is to be displaced.
  let present: FileFacts?
  /// The facts of the new content under the temporary name.
  var staged: FileFacts?

  var path: SyncPath { change.path }

  /// What the journal says of it; nil where nothing is displaced, because then nothing can get lost.
  func intent(_ kind: Intent.Kind, root: String) -> Intent? {
    expected.map {
      Intent(
        kind: kind, path: path, temporary: temporary, expected: $0, new: change.content?.digest, root: root)
    }
  }
}
