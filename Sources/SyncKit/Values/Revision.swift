/// The opaque version of a file in one replica: an etag, a rev, a blob id, the stat facts of a file.
///
/// The backend that made it has already normalised it, so that `==` is right. Equal revisions prove an unchanged file
/// only where the entry says that its revision is firm.
public struct Revision: Hashable, Sendable {
  /// The bytes of the revision; only the replica that made them knows what they mean.
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }

  public init(_ text: String) { self.bytes = Array(text.utf8) }

  /// What is recorded of a version whose revision was not firm: it equals nothing that a replica lists, so that the
  /// file is read again.
  static let unproved = Revision(bytes: [])
}

extension Entry {
  /// The revision that proves from now on that the file is unchanged, if it has one.
  var provenRevision: Revision { isFirm ? revision : .unproved }
}

extension Revision: CustomStringConvertible {
  public var description: String { printable(bytes) }
}
