internal import SyncKit

/// The staged files whose lines in `checksums.dat` were verified, by revision, so that a push only reads files that changed
/// since.
struct VerifiedDigests: Hashable, Sendable {
  struct File: Hashable, Sendable {
    var revision: Revision
    var digest: String
  }

  static let key = "org-mobile.verified"

  var files: [SyncPath: File] = [:]

  init() {}

  var bytes: Bytes {
    var fields = FieldWriter()
    fields.add(files.count)
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      fields.add(path.bytes)
      fields.add(file.revision.bytes)
      fields.add(Bytes(file.digest.utf8))
    }
    return fields.bytes
  }

  /// Empty if the bytes are not such a record; then every file is read again.
  init(_ bytes: Bytes) {
    var fields = FieldReader(bytes)
    for _ in 0..<(fields.number() ?? 0) {
      guard let path = fields.field().flatMap({ $0 }).flatMap({ SyncPath(bytes: $0) }),
        let revision = fields.field().flatMap({ $0 }), let digest = fields.field().flatMap({ $0 })
      else { return }
      files[path] = File(revision: Revision(bytes: revision), digest: digest.string)
    }
  }
}
