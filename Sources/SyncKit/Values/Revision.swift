/// The opaque version of a file in one replica: an ETag, a blob id, or what stat reports about the file.
///
/// The backend normalises it, so that `==` is correct. Equal revisions prove an unchanged file only if the entry's revision is
/// firm.
public struct Revision: Hashable, Sendable {
  /// The bytes of the revision. Only the replica that created them can interpret them.
  public let bytes: [UInt8]

  /// Creates a revision of these bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a revision of the UTF-8 bytes of `text`.
  public init(_ text: String) { self.bytes = Array(text.utf8) }

  /// Recorded for a version whose revision was not firm. It equals no revision that a replica lists, so the file is read
  /// again.
  static let unproved = Revision(bytes: [])
}

extension Entry {
  /// The revision that proves from now on that the file is unchanged; `.unproved` if it has none.
  package var provenRevision: Revision { isFirm ? revision : .unproved }
}

extension Revision: CustomStringConvertible {
  public var description: String { printable(bytes) }
}
