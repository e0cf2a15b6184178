internal import SyncKit

/// The journal record of a content that is about to be published, with which a later pass can prove that it was.
///
/// The content is complete in the temporary when this is recorded. If the publication is withdrawn, the record is removed
/// before the temporary; so if the record exists but the temporary does not, the content was published.
struct WriteEvidence: Hashable, Sendable {
  var path: SyncPath
  var temporary: Temporary
  /// The content that it replaces; nil if the file does not exist.
  var expected: Digest?
  var new: Digest
  /// The id of the tree's root.
  var root: String
}

extension WriteEvidence {
  private static let prefix = "tree.written."

  /// The key of the record for `temporary`.
  static func key(of temporary: Temporary) -> String {
    prefix + String(decoding: temporary.name.bytes, as: UTF8.self)
  }

  var key: String { Self.key(of: temporary) }

  /// The value of the record.
  var record: [UInt8] {
    [expected == nil ? 0 : 1, UInt8(root.utf8.count)] + new.bytes + (expected ?? new).bytes + Array(root.utf8)
      + path.bytes
  }

  /// Decodes a record; returns nil if it is not evidence.
  init?(key: String, record: [UInt8]) {
    guard key.hasPrefix(Self.prefix), let temporary = Temporary(key.utf8.dropFirst(Self.prefix.utf8.count)),
      record.count > 66 + Int(record[1]), let new = Digest(bytes: record[2..<34]),
      let expected = Digest(bytes: record[34..<66]), let path = SyncPath(bytes: Array(record[(66 + Int(record[1]))...]))
    else { return nil }
    self.init(
      path: path, temporary: temporary, expected: record[0] == 1 ? expected : nil, new: new,
      root: String(decoding: record[66..<(66 + Int(record[1]))], as: UTF8.self))
  }
}

extension OpenTree {
  /// Returns true if a content was published, and nil if its folder is missing and may be elsewhere. Call it before recovery
  /// changes the temporary.
  func isPublished(_ evidence: WriteEvidence) throws(SyncError) -> Bool? {
    let location: FileLocation
    do throws(Obstacle) { location = try self.location(of: evidence.path) } catch {
      guard error.provesAbsence else { throw error.error }
      return nil
    }
    return switch try version(of: evidence.temporary.name, at: location) {
    case .absent: true
    case .content(let digest): digest == evidence.expected && digest != evidence.new
    case .special: false
    }
  }
}
