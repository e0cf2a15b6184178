/// A password or token that cannot print itself.
///
/// A settings file contains it as a string, or as a reference to its source. Descriptions, dumps, mirrors and encoders show
/// `<secret>`; only ``reveal()`` returns the value.
public struct Secret: Sendable {
  private let source: SecretSource
  private let environment: SettingsEnvironment

  /// Creates a secret with a known value.
  public init(_ value: String) {
    self.init(.literal(value), in: SettingsEnvironment(folder: "/"))
  }

  /// Creates a secret that is in the file at an absolute path.
  package init(file path: String) {
    self.init(.file(SettingPath(stringLiteral: path)), in: SettingsEnvironment(folder: "/"))
  }

  init(_ source: SecretSource, in environment: SettingsEnvironment) {
    self.source = source
    self.environment = environment
  }

  /// The file that contains it; nil for other sources.
  public var file: String? { if case .file(let file) = source { file.path } else { nil } }

  /// Fetches the value from its source, in bounded time. Throws ``SecretError``, which never quotes the value.
  public func reveal() async throws -> String {
    try await source.value(in: environment)
  }
}

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

/// The reason why a secret could not be fetched. It quotes neither the secret nor the arguments of a command.
public struct SecretError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The error message for people, without a full stop.
  public let message: String

  /// The message.
  public var description: String { message }

  init(_ message: String) { self.message = message }
}
