import Synchronization

/// The contents of a batch that a side has read. One that it did not read was moved there, and no bytes were sent.
final class SentContents: Sendable {
  private let owners = Mutex<Set<Int>>([])

  /// Returns the content of a change, which is remembered when it is read.
  func observe(_ content: Content, of owner: Int) -> Content {
    content.observed { [self] in owners.withLock { _ = $0.insert(owner) } }
  }

  /// Returns true if the content of this change was read.
  func contains(_ owner: Int) -> Bool { owners.withLock { $0.contains(owner) } }
}
