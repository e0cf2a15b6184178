/// The opaque version of a file in one replica: an etag, a rev, a blob id, the stat facts of a file.
///
/// The backend that made it has already normalised it, so that `==` is right. Equal revisions prove an unchanged file
/// only where the entry says that its revision is firm.
public struct Revision: Hashable, Sendable {
  /// The bytes of the revision; only the replica that made them knows what they mean.
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }

  public init(_ text: String) { self.bytes = Array(text.utf8) }
}

extension Revision: CustomStringConvertible {
  public var description: String { printable(bytes) }
}
