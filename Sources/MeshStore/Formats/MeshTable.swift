package import MeshState
package import SyncKit

/// The paths of a state, all or those that changed, and where their contents are.
package struct MeshTable: Hashable, Sendable {
  /// One path.
  package struct Row: Hashable, Sendable {
    package var path: SyncPath
    /// The versions that were seen at the path; nil if it shares those of the whole state.
    package var context: CausalContext?
    package var versions: [MeshVersion]

    package init(path: SyncPath, context: CausalContext?, versions: [MeshVersion]) {
      self.path = path
      self.context = context
      self.versions = versions
    }
  }

  /// True if it has all paths of the state, false if its rows take the place of those of earlier tables.
  package var isWhole: Bool
  /// The rows, ascending by path.
  package var rows: [Row]
  /// Where each content is. A segment of nil is the one that contains the table.
  package var places: [Digest: Place]

  /// The place of a blob, before the name of the table's own segment is known.
  package struct Place: Hashable, Sendable {
    package var segment: SegmentName?
    package var offset: UInt64
    package var length: UInt64

    package init(segment: SegmentName?, offset: UInt64, length: UInt64) {
      self.segment = segment
      self.offset = offset
      self.length = length
    }
  }

  package init(isWhole: Bool, rows: [Row], places: [Digest: Place]) {
    self.isWhole = isWhole
    self.rows = rows
    self.places = places
  }
}

// MARK: Writing

extension MeshTable {
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(byte: isWhole ? 0 : 1)
    let segments = Set(places.values.compactMap(\.segment)).sorted { $0.root < $1.root }
    writer.write(count: segments.count)
    for segment in segments {
      writer.write(segment.root.digest.bytes)
      writer.write(number: segment.length)
    }
    let numbers = Dictionary(uniqueKeysWithValues: segments.enumerated().map { ($1, UInt64($0 + 1)) })
    writer.write(count: rows.count)
    for row in rows { write(row, numbers, to: &writer) }
    return writer.bytes
  }

  private func write(_ row: Row, _ numbers: [SegmentName: UInt64], to writer: inout ByteWriter) {
    writer.write(sized: row.path.bytes)
    writer.write(byte: row.context == nil ? 0 : 1)
    if let context = row.context { writer.write(context) }
    writer.write(count: row.versions.count)
    for version in row.versions {
      writer.write(version)
      let place = places[version.digest] ?? Place(segment: nil, offset: 0, length: 0)
      writer.write(number: place.segment.flatMap { numbers[$0] } ?? 0)
      writer.write(number: place.offset)
      writer.write(number: place.length)
      writer.write(count: version.lineage.count)
      for ancestor in version.lineage {
        writer.write(ancestor.dot)
        writer.write(ancestor.past)
        writer.write(number: ancestor.depth)
        writer.write(ancestor.digest.bytes)
      }
    }
  }
}

extension ByteWriter {
  mutating func write(_ dot: Dot) {
    write(fixed: dot.writer.id, length: 8)
    write(number: dot.number)
  }

  mutating func write(_ context: CausalContext) {
    write(count: context.numbers.count)
    for (writer, number) in context.numbers.sorted(by: { $0.key < $1.key }) {
      write(Dot(writer: writer, number: number))
    }
  }

  fileprivate mutating func write(_ version: MeshVersion) {
    write(version.dot)
    write(number: version.depth)
    write(version.past)
    write(version.digest.bytes)
    write(count: version.size)
  }
}

// MARK: Reading

extension MeshTable {
  package init(_ bytes: [UInt8]) throws(FormatError) {
    guard bytes.count <= Bounds.table else { throw FormatError("a table is too large") }
    var reader = ByteReader(bytes)
    let kind = try reader.byte()
    guard kind <= 1 else { throw FormatError("a table is of an unknown kind") }
    var segments: [SegmentName] = []
    for _ in 0..<(try reader.count(atMost: bytes.count)) {
      segments.append(try reader.segment())
    }
    self.init(isWhole: kind == 0, rows: [], places: [:])
    for _ in 0..<(try reader.count(atMost: bytes.count)) {
      let row = try row(from: &reader, segments)
      if let last = rows.last, row.path <= last.path { throw FormatError("the paths are not in order") }
      rows.append(row)
    }
    try reader.requireEnd()
  }

  private mutating func row(from reader: inout ByteReader, _ segments: [SegmentName]) throws(FormatError) -> Row {
    guard let path = SyncPath(bytes: try reader.sized(atMost: Bounds.path)) else {
      throw FormatError("a path leads out of the folder")
    }
    let flag = try reader.byte()
    guard flag <= 1 else { throw FormatError("a row has an unknown flag") }
    var row = Row(path: path, context: flag == 1 ? try reader.context() : nil, versions: [])
    for _ in 0..<(try reader.count(atMost: Bounds.versions)) {
      let version = try version(from: &reader, segments)
      if let last = row.versions.last, version.dot <= last.dot { throw FormatError("the versions are not in order") }
      row.versions.append(version)
    }
    return row
  }

  private mutating func version(
    from reader: inout ByteReader, _ segments: [SegmentName]
  ) throws(FormatError) -> MeshVersion {
    var version = MeshVersion(
      dot: try reader.dot(), past: CausalContext(), depth: try reader.number(), digest: .empty, size: 0, lineage: [])
    version.past = try reader.context()
    version.digest = try reader.digest()
    let size = try reader.number()
    guard size <= Bounds.content else { throw FormatError("a content is too large") }
    version.size = Int(size)
    let (segment, offset, length) = (try reader.number(), try reader.number(), try reader.number())
    guard segment <= UInt64(segments.count), offset < 1 << 62, length < 1 << 62 else {
      throw FormatError("a content is in a segment that is not named")
    }
    places[version.digest] = Place(
      segment: segment == 0 ? nil : segments[Int(segment) - 1], offset: offset, length: length)
    for _ in 0..<(try reader.count(atMost: MeshVersion.lineageLimit)) {
      version.lineage.append(
        MeshVersion.Ancestor(
          dot: try reader.dot(), past: try reader.context(), depth: try reader.number(), digest: try reader.digest()))
    }
    return version
  }
}

extension ByteReader {
  mutating func dot() throws(FormatError) -> Dot {
    Dot(writer: Writer(id: try fixed(length: 8)), number: try number())
  }

  mutating func digest() throws(FormatError) -> Digest {
    guard let digest = Digest(bytes: try read(32)) else { throw FormatError("it ends too early") }
    return digest
  }

  mutating func segment() throws(FormatError) -> SegmentName {
    let name = SegmentName(root: MerkleRoot(try digest()), length: try number())
    guard name.length <= Bounds.content else { throw FormatError("a segment is too large") }
    return name
  }

  mutating func context() throws(FormatError) -> CausalContext {
    var (context, last): (CausalContext, Writer?) = (CausalContext(), nil)
    for _ in 0..<(try count(atMost: Bounds.writers)) {
      let dot = try dot()
      if let last, dot.writer <= last { throw FormatError("the writers are not in order") }
      guard dot.number > 0 else { throw FormatError("a number is 0") }
      context.insert(dot)
      last = dot.writer
    }
    return context
  }
}
