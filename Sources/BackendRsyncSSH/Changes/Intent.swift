internal import SyncKit

/// A transfer that was about to start, recorded in advance: after a crash it names the files to check.
struct Intent: Hashable, Sendable {
  /// The suffix of the names of previous versions, unique for each transfer.
  var suffix: String
  var items: [Item]
  /// Folders to create; files in their place are kept as well.
  var folders: [SyncPath]

  struct Item: Hashable, Sendable {
    var path: SyncPath
    /// The MD5 of the content to replace; nil if no file is expected.
    var base: [UInt8]?
    /// Nil for a removal.
    var new: Version?
  }

  struct Version: Hashable, Sendable {
    var digest: Digest
    var hash: [UInt8]
  }

  /// The path at which the previous version of `path` is kept.
  func kept(_ path: SyncPath) -> SyncPath? { path.sibling(Array(path.name) + Array(suffix.utf8)) }

  /// The staging folder in the exclusive mode; nil if the remote host puts the files in place itself.
  var staging: SyncPath? { PreviousVersionName.staging(for: suffix) }

  /// The moves of all files in the exclusive mode.
  var moves: [Move] {
    items.map { item in
      Move(
        path: item.path, staged: item.new.flatMap { _ in staging?.appending(item.path.bytes) },
        kept: item.base.flatMap { _ in kept(item.path) })
    }
  }

  /// All paths to check.
  var paths: [SyncPath] { items.map(\.path) + (items.map(\.path) + folders).compactMap(kept) }

  // MARK: The record

  private static let format: UInt8 = 2

  init(suffix: String, items: [Item], folders: [SyncPath]) {
    self.suffix = suffix
    self.items = items
    self.folders = folders
  }

  /// The encoded record: the suffix, the number of items, three parts for each item, and the folders.
  var record: [UInt8] {
    var parts = [Array(suffix.utf8), Array("\(items.count)".utf8)]
    for item in items { parts += [item.path.bytes, item.base ?? [], item.new?.bytes ?? []] }
    parts += folders.map(\.bytes)
    return [Self.format] + RecordParts.encoded(parts)
  }

  /// Decodes a record; returns nil if it is not an intent.
  init?(record: [UInt8]) {
    guard record.first == Self.format, var parts = RecordParts.decoded(record.dropFirst()), parts.count >= 2 else {
      return nil
    }
    suffix = String(decoding: parts.removeFirst(), as: UTF8.self)
    guard let count = Int(String(decoding: parts.removeFirst(), as: UTF8.self)), parts.count >= 3 * count else {
      return nil
    }
    items = []
    for start in stride(from: 0, to: 3 * count, by: 3) {
      let (base, new) = (parts[start + 1], parts[start + 2])
      guard let path = SyncPath(bytes: parts[start]), new.isEmpty || Version(new) != nil else { return nil }
      items.append(Item(path: path, base: base.isEmpty ? nil : base, new: Version(new)))
    }
    folders = parts[(3 * count)...].compactMap { SyncPath(bytes: $0) }
  }
}

extension Intent.Version {
  fileprivate var bytes: [UInt8] { digest.bytes + hash }

  fileprivate init?(_ bytes: [UInt8]) {
    guard bytes.count == 48, let digest = Digest(bytes: bytes.prefix(32)) else { return nil }
    self.init(digest: digest, hash: Array(bytes.suffix(16)))
  }
}
