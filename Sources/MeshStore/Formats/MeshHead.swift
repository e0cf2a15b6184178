package import MeshState
package import SyncKit

/// A device's announcement of its state: the segments that describe it.
package struct MeshHead: Hashable, Sendable {
  package var writer: Writer
  /// The device's name, for people.
  package var device: String
  /// The program's version, for people.
  package var program: String
  /// The port at which the device listens; 0 for none.
  package var port: UInt16
  /// Grows with every head of a writer.
  package var number: UInt64
  package var context: CausalContext
  /// The digest of everything that the state lists and has seen: equal states have equal digests, wherever their contents are.
  package var state: Digest
  /// The segments with tables: one with all paths, then those with changes.
  package var tables: [TableName]

  /// A segment, and the length of its header and table.
  package struct TableName: Hashable, Sendable {
    package var segment: SegmentName
    package var end: UInt64

    package init(segment: SegmentName, end: UInt64) {
      self.segment = segment
      self.end = end
    }
  }

  package init(
    writer: Writer, device: String, program: String, port: UInt16, number: UInt64, context: CausalContext,
    state: Digest, tables: [TableName]
  ) {
    self.writer = writer
    self.device = device
    self.program = program
    self.port = port
    self.number = number
    self.context = context
    self.state = state
    self.tables = tables
  }

  private static let mark = Array("SYH1".utf8)

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.mark)
    writer.write(fixed: self.writer.id, length: 8)
    writer.write(sized: Array(device.utf8))
    writer.write(sized: Array(program.utf8))
    writer.write(fixed: UInt64(port), length: 2)
    writer.write(number: number)
    writer.write(context)
    writer.write(state.bytes)
    writer.write(count: tables.count)
    for table in tables {
      writer.write(table.segment.root.digest.bytes)
      writer.write(number: table.segment.length)
      writer.write(number: table.end)
    }
    return writer.bytes
  }

  package init(_ bytes: [UInt8]) throws(FormatError) {
    guard bytes.count <= Bounds.message else { throw FormatError("a head is too large") }
    var reader = ByteReader(bytes)
    guard try reader.read(4) == Self.mark else { throw FormatError("it is not a head") }
    let writer = Writer(id: try reader.fixed(length: 8))
    let (device, program) = (try reader.sized(atMost: Bounds.name), try reader.sized(atMost: Bounds.name))
    let (port, number) = (try reader.fixed(length: 2), try reader.number())
    let (context, state) = (try reader.context(), try reader.digest())
    var tables: [TableName] = []
    for _ in 0..<(try reader.count(atMost: Bounds.segments)) {
      let table = TableName(segment: try reader.segment(), end: try reader.number())
      guard table.end <= table.segment.length else { throw FormatError("a table ends after its segment") }
      tables.append(table)
    }
    try reader.requireEnd()
    // Anyone with the secret may have written the names.
    self.init(
      writer: writer, device: printable(device), program: printable(program), port: UInt16(port), number: number,
      context: context, state: state, tables: tables)
  }
}

extension MeshState {
  /// The digest of everything that the state lists and has seen.
  package var digest: Digest {
    var writer = ByteWriter()
    writer.write(context)
    for path in paths.sorted() {
      writer.write(sized: path.bytes)
      let own = context(at: path)
      writer.write(byte: own == context ? 0 : 1)
      if own != context { writer.write(own) }
      writer.write(count: self[path].count)
      for version in self[path] {
        writer.write(version.dot)
        writer.write(version.digest.bytes)
      }
    }
    return Digest(of: writer.bytes)
  }
}
