import MeshState
import SyncKit

/// Everything that a device stores about a mesh except the segments.
struct StoredMesh: Sendable {
  /// What this device knows.
  var state: MeshState
  /// The number of the last head.
  var number: UInt64 = 0
  /// Drawn when the state was created; another one shows that the former state was lost.
  var creation: UInt64
  /// The segments that describe the state: one with all paths, then those with changes.
  var tables: [MeshHead.TableName] = []
  /// Where the content of each version is.
  var places: [Digest: BlobPlace] = [:]

  init(writer: Writer, creation: UInt64) {
    state = MeshState(writer: writer)
    self.creation = creation
  }

  /// The rows of these paths.
  func rows(of paths: some Sequence<SyncPath>) -> [MeshTable.Row] {
    let waiting = state.waiting
    return paths.sorted().map { path in
      MeshTable.Row(
        path: path, context: waiting.contains(path) ? state.context(at: path) : nil, versions: state[path])
    }
  }

  /// The places of the contents of rows. Those in the segment `own` are counted from its table, which is not written yet.
  func places(in rows: [MeshTable.Row], own: [Digest: (offset: UInt64, length: UInt64)] = [:]) -> [Digest: MeshTable
    .Place]
  {
    var found: [Digest: MeshTable.Place] = [:]
    for digest in rows.lazy.flatMap(\.versions).map(\.digest) {
      if let place = own[digest] {
        found[digest] = MeshTable.Place(segment: nil, offset: place.offset, length: place.length)
      } else if let place = places[digest] {
        found[digest] = MeshTable.Place(segment: place.segment, offset: place.offset, length: place.length)
      }
    }
    return found
  }

  /// The table of all paths.
  var wholeTable: MeshTable {
    let rows = rows(of: state.paths)
    return MeshTable(isWhole: true, rows: rows, places: places(in: rows))
  }

  /// Forgets the places of contents that no version has.
  mutating func forgetPlaces() {
    let live = Set(state.files.values.joined().map(\.digest))
    places = places.filter { live.contains($0.key) }
  }

  /// The segments that are named by a table or have a content.
  var segments: Set<MerkleRoot> { Set(tables.map(\.segment.root)).union(places.values.map(\.segment.root)) }
}

// MARK: The file

extension StoredMesh {
  private static let mark = Array("SYM1".utf8)
  private static let saltSize = 16

  /// The encrypted file, which contains its own identity, so that a copy of it is detected.
  func bytes(_ identity: FileIdentity, _ secret: MeshSecret, salt: [UInt8]) -> [UInt8] {
    var body = ByteWriter()
    for number in [identity.device, identity.inode, identity.born, state.writer.id, creation] {
      body.write(fixed: number, length: 8)
    }
    body.write(number: number)
    body.write(state.context)
    body.write(count: tables.count)
    for table in tables {
      body.write(table.segment.root.digest.bytes)
      body.write(number: table.segment.length)
      body.write(number: table.end)
    }
    body.write(sized: wholeTable.bytes)
    return Self.mark + salt + Seal.encrypt(body.bytes, with: Segment.key(secret, salt))
  }

  /// Parses a file. Returns the identity that it had when it was written.
  static func parse(_ bytes: [UInt8], _ secret: MeshSecret) throws(FormatError) -> (StoredMesh, FileIdentity) {
    var file = ByteReader(bytes)
    guard try file.read(4) == mark else { throw FormatError("it is not the state of a mesh") }
    let salt = try file.read(saltSize)
    let body = try Seal.decrypt(bytes.dropFirst(4 + saltSize), with: Segment.key(secret, salt))
    var reader = ByteReader(body)
    var numbers: [UInt64] = []
    for _ in 0..<5 { numbers.append(try reader.fixed(length: 8)) }
    let identity = FileIdentity(device: numbers[0], inode: numbers[1], born: numbers[2])
    var mesh = StoredMesh(writer: Writer(id: numbers[3]), creation: numbers[4])
    mesh.number = try reader.number()
    let context = try reader.context()
    for _ in 0..<(try reader.count(atMost: Bounds.segments)) {
      mesh.tables.append(MeshHead.TableName(segment: try reader.segment(), end: try reader.number()))
    }
    let table = try MeshTable(reader.sized(atMost: Bounds.table))
    try reader.requireEnd()
    mesh.state = MeshState(mesh.state.writer, context, [table])
    for (digest, place) in table.places {
      guard let segment = place.segment else { throw FormatError("a content has no segment") }
      mesh.places[digest] = BlobPlace(segment: segment, offset: place.offset, length: place.length)
    }
    return (mesh, identity)
  }
}

extension MeshState {
  /// The state that tables describe: all paths, then changes; or changes of `known` files.
  init(
    _ writer: Writer, _ context: CausalContext, _ tables: [MeshTable], over known: [SyncPath: [MeshVersion]] = [:]
  ) {
    var (files, exceptions): ([SyncPath: [MeshVersion]], [SyncPath: CausalContext]) = (known, [:])
    for table in tables {
      if table.isWhole { (files, exceptions) = ([:], [:]) }
      for row in table.rows { (files[row.path], exceptions[row.path]) = (row.versions, row.context) }
    }
    self.init(writer: writer, context: context, files: files, exceptions: exceptions)
  }
}
