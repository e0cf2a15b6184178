internal import SyncKit

/// What a device of the remote states about one version of a file: where it belongs, which version it is, and what its
/// content is.
///
/// The label is encrypted and authenticated with the remote's key and travels in the file. So no part of a file can be
/// exchanged without the key, whatever the cipher itself proves: another content does not fit the label, and no one else
/// can make another label.
struct Label: Hashable, Sendable {
  /// Larger for each version that any device writes to the remote.
  var number: UInt64
  /// The digest of the path.
  var place: Digest
  /// The digest and the size of the plain content.
  var content: Digest
  var size: Int
  /// The path itself, where the name does not tell it.
  var path: SyncPath?

  /// A path is padded with zeros to a multiple of this size, so that its length reveals little.
  private static let step = 64

  init(_ path: SyncPath, number: UInt64, content: Content, withPath: Bool) {
    self.number = number
    place = Digest(of: path.bytes)
    self.content = content.digest
    size = content.size
    self.path = withPath ? path : nil
  }

  /// The label in a file of the current format, or nil if no device of the remote wrote it.
  init?(_ sealed: [UInt8], _ key: RemoteKey) {
    guard key.format == .current, let bytes = SmallBox.open(sealed, key.derived(for: "label")), bytes.count >= 80,
      let place = Digest(bytes: bytes[8..<40]), let content = Digest(bytes: bytes[48..<80]),
      let size = Int(exactly: UInt64(bigEndianBytes: bytes[40..<48]))
    else { return nil }
    number = UInt64(bigEndianBytes: bytes.prefix(8))
    self.place = place
    self.size = size
    self.content = content
    path = SyncPath(bytes: Array(bytes[80...].prefix { $0 != 0 }))
  }

  func sealed(_ key: RemoteKey) throws(SyncError) -> [UInt8] {
    precondition(key.format == .current, "labels are written in the current format only")
    var bytes = number.bigEndianBytes + place.bytes + UInt64(size).bigEndianBytes + content.bytes
    if let path {
      bytes += path.bytes + [UInt8](repeating: 0, count: (Self.step - path.bytes.count % Self.step) % Self.step)
    }
    return try SmallBox.seal(bytes, key.derived(for: "label"))
  }
}

/// A label of the former format, in which nothing ties it to the content. Read only to migrate a remote.
struct UnprovenLabel: Hashable, Sendable {
  var number: UInt64
  var place: Digest
  var path: SyncPath?

  /// The label in a file of the former format, or nil if no device of the remote wrote it.
  init?(_ sealed: [UInt8], _ key: RemoteKey) {
    guard key.format == .unprovenContent, let bytes = SmallBox.open(sealed, key.derived(for: "label")),
      bytes.count >= 40, let place = Digest(bytes: bytes[8..<40])
    else { return nil }
    number = UInt64(bigEndianBytes: bytes.prefix(8))
    self.place = place
    path = SyncPath(bytes: Array(bytes[40...].prefix { $0 != 0 }))
  }
}
