import SyncKit

/// The encoding of intended changes in the archive: field by field, a path after its length, an optional value after a byte
/// that says if it is present.
extension [IntendedChange] {
  var archived: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 128)
    for change in self { change.append(to: &bytes) }
    return bytes
  }

  /// Decodes the changes; returns nil if `bytes` are not such an encoding.
  init?(archived bytes: [UInt8]) {
    var fields = ArchivedFields(bytes)
    self = []
    while !fields.isAtEnd {
      guard let change = IntendedChange(&fields) else { return nil }
      append(change)
    }
  }
}

/// The encoding of the sides that the changes of a batch have reached: the digest of the encoded changes, and a byte for each change.
extension [IntendedChange] {
  /// - Parameter digest: the digest of the encoded changes.
  func sides(digest: Digest) -> [UInt8] { digest.bytes + map(\.sides) }

  /// Returns the changes with their sides; nil if `bytes` belong to other changes.
  ///
  /// - Parameter digest: the digest of the encoded changes.
  func adding(sides bytes: [UInt8], of digest: Digest) -> [IntendedChange]? {
    guard bytes.count == 32 + count, Digest(bytes: bytes.prefix(32)) == digest else { return nil }
    return zip(self, bytes.dropFirst(32)).map { change, bits in
      var change = change
      change.sides = bits
      return change
    }
  }
}

extension IntendedChange {
  /// One bit for each side that has begun, and one for each that was written.
  fileprivate var sides: UInt8 {
    get {
      (begun.contains(.local) ? 1 : 0) | (begun.contains(.remote) ? 2 : 0) | (written.contains(.local) ? 4 : 0)
        | (written.contains(.remote) ? 8 : 0)
    }
    set {
      func side(_ side: Side, _ bit: UInt8) -> Set<Side> { newValue & bit == 0 ? [] : [side] }
      begun = side(.local, 1).union(side(.remote, 2))
      written = side(.local, 4).union(side(.remote, 8))
    }
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(path)
    bytes.append(target)
    bytes.append(ancestor)
    for side in Side.allCases {
      switch self[side] {
      case nil: bytes.append(0)
      case .absent: bytes.append(1)
      case .content(let digest): bytes += [2] + digest.bytes
      }
    }
    if let newPath {
      bytes.append(2)
      bytes.append(newPath)
    }
    bytes.append(conflict == nil ? 0 : 1)
    guard let conflict else { return }
    bytes.append(conflict.path)
    for digest in [conflict.base, conflict.local, conflict.remote, conflict.marked] { bytes.append(digest) }
    bytes.append(conflict.copy == nil ? 0 : 1)
    if let copy = conflict.copy { bytes.append(copy) }
  }

  fileprivate init?(_ fields: inout ArchivedFields) {
    guard let path = fields.path(), let target = fields.digest(), let ancestor = fields.digest(),
      let local = fields.former(), let remote = fields.former(), let newPath = fields.newPath(),
      let conflict = fields.conflict()
    else { return nil }
    self.init(path: path, target: target, ancestor: ancestor, local: local, remote: remote, conflict: conflict)
    self.newPath = newPath
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ path: SyncPath) {
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: path.bytes.count >> shift)) }
    append(contentsOf: path.bytes)
  }

  fileprivate mutating func append(_ digest: Digest?) {
    append(digest == nil ? 0 : 1)
    if let digest { append(contentsOf: digest.bytes) }
  }
}

/// Reads encoded fields in order. Each method returns nil if the next field is of another kind; a field that may be absent is a
/// nested optional.
private struct ArchivedFields {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func path() -> SyncPath? {
    guard let length = take(4) else { return nil }
    return take(length.reduce(0) { $0 << 8 | Int($1) }).flatMap { SyncPath(bytes: Array($0)) }
  }

  mutating func digest() -> Digest?? {
    switch take(1)?.first {
    case 0: .some(nil)
    case 1: take(32).flatMap { Digest(bytes: $0) }.map { .some($0) }
    default: nil
    }
  }

  mutating func former() -> IntendedChange.Former?? {
    switch take(1)?.first {
    case 0: .some(nil)
    case 1: .some(.absent)
    case 2: take(32).flatMap { Digest(bytes: $0) }.map { .some(.content($0)) }
    default: nil
    }
  }

  /// A byte of its own begins the field; former versions of the program do not write it.
  mutating func newPath() -> SyncPath?? {
    guard rest.first == 2 else { return .some(nil) }
    rest.removeFirst()
    return path().map { .some($0) }
  }

  mutating func conflict() -> OpenConflict?? {
    switch take(1)?.first {
    case 0: return .some(nil)
    case 1: break
    default: return nil
    }
    guard let path = path(), let base = digest(), let local = digest(), let remote = digest(), let marked = digest(),
      let hasCopy = take(1)?.first
    else { return nil }
    var conflict = OpenConflict(path: path, base: base, local: local, remote: remote, marked: marked)
    if hasCopy == 1 {
      guard let copy = self.path() else { return nil }
      conflict.copy = copy
    }
    return conflict
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
