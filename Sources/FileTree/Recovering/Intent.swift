internal import SyncKit

/// The journal record of a change that replaces or removes a user's file, which tells after a crash what a temporary may
/// contain.
struct Intent: Hashable, Sendable {
  enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// The new content in the temporary is being exchanged with the file.
    case exchange = 1
    /// The file is being moved to the temporary name, to be replaced by a new content.
    case aside = 2
    /// The file is being moved to the temporary name, to be removed.
    case removal = 3
    /// The change was made; the replaced file stays while a program has it open for writing.
    case probation = 4
  }

  var kind: Kind
  var path: SyncPath
  var temporary: Temporary
  /// The content that is being replaced.
  var expected: Digest
  /// The content that replaces it; nil for a removal.
  var new: Digest?
  /// The new path of a file that is being renamed; nil for any other change.
  var newPath: SyncPath?
  /// The id of the tree's root: an intent does not apply to another tree at the same address.
  var root: String
}

extension Intent {
  private static let prefix = "tree.intent."

  /// The key of the intent's record.
  var key: String { Self.prefix + String(decoding: temporary.name.bytes, as: UTF8.self) }

  /// The temporary in a record's key; nil for other records.
  static func temporary(of key: String) -> Temporary? {
    key.hasPrefix(prefix) ? Temporary(key.utf8.dropFirst(prefix.utf8.count)) : nil
  }

  /// The value of the intent's record.
  var record: [UInt8] {
    let form: UInt8 = newPath != nil ? 2 : new != nil ? 1 : 0
    let paths = newPath.map { path.bytes + [0] + $0.bytes } ?? path.bytes
    return [kind.rawValue, form, UInt8(root.utf8.count)] + expected.bytes + (new ?? expected).bytes
      + Array(root.utf8) + paths
  }

  /// Decodes a record; returns nil if it is not an intent.
  init?(key: String, record: [UInt8]) {
    guard let temporary = Self.temporary(of: key),
      record.count > 67 + Int(record[2]), let kind = Kind(rawValue: record[0]),
      let expected = Digest(bytes: record[3..<35]), let new = Digest(bytes: record[35..<67]),
      let paths = Self.paths(record[(67 + Int(record[2]))...], isRename: record[1] == 2)
    else { return nil }
    self.init(
      kind: kind, path: paths.path, temporary: temporary, expected: expected, new: record[1] == 1 ? new : nil,
      newPath: paths.new,
      root: String(decoding: record[67..<(67 + Int(record[2]))], as: UTF8.self))
  }

  /// Decodes the paths of a record: a rename has two, with a zero between them.
  private static func paths(_ bytes: ArraySlice<UInt8>, isRename: Bool) -> (path: SyncPath, new: SyncPath?)? {
    let parts = isRename ? bytes.split(separator: 0, maxSplits: 1) : [bytes]
    guard let path = parts.first.flatMap({ SyncPath(bytes: Array($0)) }) else { return nil }
    guard isRename else { return (path, nil) }
    return parts.dropFirst().first.flatMap { SyncPath(bytes: Array($0)) }.map { (path, $0) }
  }
}
