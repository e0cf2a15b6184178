internal import SyncKit

/// A device's statement about one version of a file: its path, its number, and its content.
///
/// The label is encrypted and authenticated with the remote's key and is part of the file. So no part of a file can be replaced
/// without the key, whatever the cipher itself proves: another content does not match the label, and no one else can create a
/// label.
struct Label: Hashable, Sendable {
  /// The number of the version; higher than that of every earlier version that any device wrote to the remote.
  var number: UInt64
  /// The digest of the path.
  var place: Digest
  /// The digest and the size of the plain content.
  var content: Digest
  var size: Int
  /// The path itself, if the file name does not contain it.
  var path: SyncPath?

  /// The padding of a path in bytes, so that its length reveals little.
  private static let step = 64

  init(_ path: SyncPath, number: UInt64, content: Content, withPath: Bool) {
    self.number = number
    place = Digest(of: path.bytes)
    self.content = content.digest
    size = content.size
    self.path = withPath ? path : nil
  }

  /// Decodes the label of a file in the current format; returns nil if no device of the remote wrote it.
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

/// A label of the former format, which is not bound to the content. Read only to migrate a remote.
struct UnprovenLabel: Hashable, Sendable {
  var number: UInt64
  var place: Digest
  var path: SyncPath?

  /// Decodes the label of a file in the former format; returns nil if no device of the remote wrote it.
  init?(_ sealed: [UInt8], _ key: RemoteKey) {
    guard key.format == .unprovenContent, let bytes = SmallBox.open(sealed, key.derived(for: "label")),
      bytes.count >= 40, let place = Digest(bytes: bytes[8..<40])
    else { return nil }
    number = UInt64(bigEndianBytes: bytes.prefix(8))
    self.place = place
    path = SyncPath(bytes: Array(bytes[40...].prefix { $0 != 0 }))
  }
}
