internal import SyncKit

/// The encoding of states in the journal: a sequence of length-prefixed fields.
extension MobileState {
  var bytes: Bytes {
    var fields = FieldWriter()
    fields.add(overlays.count)
    for (path, overlay) in overlays.sorted(by: { $0.key < $1.key }) {
      fields.add(path.bytes)
      fields.add(overlay.staged)
      fields.add(overlay.desktop)
      fields.add(overlay.sent)
      fields.add((overlay.wasMissed ? 1 : 0) + (overlay.isRemoved ? 2 : 0))
    }
    fields.add(batch.count)
    for request in batch {
      fields.add(Bytes(request.id.text.utf8))
      fields.add(request.bytes)
    }
    return fields.bytes
  }

  /// Returns nil if the bytes are not a state.
  init?(_ bytes: Bytes) {
    var fields = FieldReader(bytes)
    guard let count = fields.number() else { return nil }
    for _ in 0..<count {
      guard let path = fields.field().flatMap({ $0 }).flatMap({ SyncPath(bytes: $0) }), let staged = fields.field(),
        let desktop = fields.field(), let sent = fields.field().flatMap({ $0 }), let marks = fields.number()
      else { return nil }
      overlays[path] = Overlay(
        staged: staged, desktop: desktop, sent: sent, wasMissed: marks & 1 != 0, isRemoved: marks & 2 != 0)
    }
    guard let requests = fields.number() else { return nil }
    for _ in 0..<requests {
      guard let id = fields.field().flatMap({ $0 }), let text = fields.field().flatMap({ $0 }) else { return nil }
      batch.append(Request(id: NoteID(id.string), bytes: text))
    }
  }
}

extension Intent {
  var bytes: Bytes {
    var fields = FieldWriter()
    fields.add(state.bytes)
    fields.add(revision)
    fields.add(others)
    return fields.bytes
  }

  /// Returns nil if the bytes are not an intent.
  init?(_ bytes: Bytes) {
    var fields = FieldReader(bytes)
    guard let state = fields.field().flatMap({ $0 }).flatMap({ MobileState($0) }), let revision = fields.field(),
      let others = fields.field().flatMap({ $0 })
    else { return nil }
    self.init(state: state, revision: revision, others: others)
  }
}

/// Encodes fields: `LENGTH:BYTES`, or `-` for nil.
struct FieldWriter {
  private(set) var bytes: Bytes = []

  mutating func add(_ field: Bytes?) { bytes += field.map { Bytes("\($0.count):".utf8) + $0 } ?? Bytes("-".utf8) }

  mutating func add(_ number: Int) { add(Bytes("\(number)".utf8)) }
}

/// Decodes the fields of a `FieldWriter`.
struct FieldReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: Bytes) { rest = bytes[...] }

  /// Returns the next field, or nil at the end. The inner optional is nil for a field that was written as nil.
  mutating func field() -> Bytes?? {
    if rest.first == UInt8(ascii: "-") {
      rest.removeFirst()
      return .some(nil)
    }
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let count = Int(Bytes(rest[..<colon]).string), count >= 0,
      rest.endIndex - colon > count
    else { return nil }
    let field = Bytes(rest[(colon + 1)..<(colon + 1 + count)])
    rest = rest[(colon + 1 + count)...]
    return .some(field)
  }

  mutating func number() -> Int? { field().flatMap { $0 }.flatMap { Int($0.string) } }
}
