internal import SyncKit

/// The temporaries that remain after files were published, until they can be removed safely.
///
/// Nothing is unlinked before the folders are durable: a power cut could undo a move but keep the unlinking.
struct Cleanup {
  /// The content of a temporary.
  enum Leftover {
    /// A content that no pass has seen, and that can be fetched again.
    case unpublished
    /// A file that had the user's name, with a content that is held elsewhere: a program may still write to it.
    case displaced(Digest)
    /// None; the file has a user's name again.
    case nothing
    /// Unknown; the next recovery checks again.
    case unresolved
  }

  private struct Item {
    let path: SyncPath
    let temporary: Temporary
    let intent: Intent?
    var leftover: Leftover
  }

  private let tree: OpenTree
  private var items: [Item] = []
  private var touched: Set<SyncPath?> = []
  /// The new journal records of the resolved intents.
  private(set) var closings: [String: [UInt8]?] = [:]

  init(_ tree: OpenTree) { self.tree = tree }

  /// Adds the temporary that remains beside `path`.
  mutating func add(_ leftover: Leftover, under temporary: Temporary, beside path: SyncPath, intent: Intent?) {
    items.append(Item(path: path, temporary: temporary, intent: intent, leftover: leftover))
    touch(path.parent)
  }

  /// Records that names in a folder have changed.
  mutating func touch(_ folder: SyncPath?) { touched.insert(folder) }

  /// Adds the unfinished work of another cleanup.
  mutating func add(_ other: Cleanup) {
    items += other.items
    touched.formUnion(other.touched)
  }

  /// Makes everything durable and removes what can be removed; returns the folders that may not be durable.
  mutating func finish() -> Set<SyncPath?> {
    let failed = syncTouched()
    for index in items.indices where !failed.contains(items[index].path.parent) { dispose(index) }
    let failedAgain = syncTouched()
    for item in items where !failed.union(failedAgain).contains(item.path.parent) { close(item) }
    items = []
    return failed.union(failedAgain)
  }

  private mutating func syncTouched() -> Set<SyncPath?> {
    defer { touched = [] }
    return tree.sync(touched)
  }

  private mutating func dispose(_ index: Int) {
    let item = items[index]
    do throws(SyncError) {
      switch item.leftover {
      case .nothing, .unresolved: break
      case .unpublished:
        _ = try tree.primitives.discard(item.temporary, beside: try location(of: item))
        items[index].leftover = .nothing
      case .displaced(let digest): items[index].leftover = try examine(item, expecting: digest)
      }
    } catch {
      // The temporary stays, and the next recovery tries again.
      items[index].leftover = .unresolved
    }
  }

  /// Discards a replaced file unless a program has it open for writing, or has written to it.
  private mutating func examine(_ item: Item, expecting digest: Digest) throws(SyncError) -> Leftover {
    let location = try location(of: item)
    if tree.isRenamed(item.temporary.name, at: location, to: item.intent?.newPath) {
      _ = try tree.primitives.discard(item.temporary, beside: location)
      return .nothing
    }
    guard try tree.version(of: item.temporary.name, at: location) != .absent else { return .nothing }
    let file = try FileReading(of: item.temporary.name, at: location)
    guard file.hasNoWriter() else { return item.leftover }
    if try file.digest() != digest {
      touch(item.path.parent)
      if try tree.keepAside(item.temporary, at: location) != nil { return .nothing }
    }
    _ = try tree.primitives.discard(item.temporary, beside: location)
    return .nothing
  }

  private func location(of item: Item) throws(SyncError) -> FileLocation {
    do throws(Obstacle) { return try tree.location(of: item.path) } catch { throw error.error }
  }

  private mutating func close(_ item: Item) {
    guard var intent = item.intent else { return }
    switch item.leftover {
    case .nothing: closings.updateValue(nil, forKey: intent.key)
    case .unpublished, .unresolved: break
    case .displaced(let digest):
      (intent.kind, intent.expected) = (.probation, digest)
      closings[intent.key] = intent.record
    }
  }
}
