extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, Encodable {
  private static let redacted = "<secret>"

  /// `<secret>`.
  public var description: String { Self.redacted }

  /// `<secret>`.
  public var debugDescription: String { Self.redacted }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  /// Encodes `<secret>`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Self.redacted)
  }
}
