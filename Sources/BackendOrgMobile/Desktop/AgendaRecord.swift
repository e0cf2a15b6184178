internal import OrgKit
internal import SyncKit

/// The inputs from which `agendas.org` was last created: while they are unchanged, the views are too, and no file has to be
/// read.
struct AgendaRecord: Hashable, Sendable {
  /// A file by its digest in `checksums.dat`, and by the digest under which the archive keeps its content.
  struct File: Hashable, Sendable {
    var listed: String
    var digest: Digest
  }

  static let key = "org-mobile.agendas"

  var day: OrgDay
  /// The settings on which the views depend.
  var settings: String
  var files: [SyncPath: File] = [:]

  var bytes: Bytes {
    var fields = FieldWriter()
    fields.add(day.number)
    fields.add(Bytes(settings.utf8))
    fields.add(files.count)
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      fields.add(path.bytes)
      fields.add(Bytes(file.listed.utf8))
      fields.add(file.digest.bytes)
    }
    return fields.bytes
  }
}

extension AgendaRecord {
  /// Returns nil if the bytes are not a record; then the views are created again.
  init?(_ bytes: Bytes) {
    var fields = FieldReader(bytes)
    guard let day = fields.number(), let settings = fields.field().flatMap({ $0 }), let count = fields.number() else {
      return nil
    }
    self.init(day: OrgDay(number: day), settings: settings.string)
    for _ in 0..<count {
      guard let path = fields.field().flatMap({ $0 }).flatMap({ SyncPath(bytes: $0) }),
        let listed = fields.field().flatMap({ $0 }),
        let digest = fields.field().flatMap({ $0 }).flatMap({ Digest(bytes: $0) })
      else { return nil }
      files[path] = File(listed: listed.string, digest: digest)
    }
  }
}

/// The files' parts of a day's agenda views, cached while file and day are unchanged.
struct AgendaParts: Sendable {
  private var day: OrgDay?
  private var parts: [SyncPath: (listed: String, part: AgendaPart)] = [:]

  /// Discards the parts of another day.
  mutating func begin(_ day: OrgDay) {
    if self.day != day { (self.day, parts) = (day, [:]) }
  }

  subscript(path: SyncPath, listed: String) -> AgendaPart? {
    get { parts[path].flatMap { $0.listed == listed ? $0.part : nil } }
    set { parts[path] = newValue.map { (listed, $0) } }
  }

  mutating func keep(_ paths: some Collection<SyncPath>) {
    let paths = Set(paths)
    parts = parts.filter { paths.contains($0.key) }
  }
}
