/// A password or token that cannot print itself.
///
/// It is written as a string, or refers to where it is kept. Descriptions, dumps, mirrors and encoders only see
/// `<secret>`; ``reveal()`` is the one way to the value.
public struct Secret: Sendable {
  private let source: SecretSource
  private let environment: SettingsEnvironment

  /// A secret that is known already.
  public init(_ value: String) {
    self.init(.literal(value), in: SettingsEnvironment(folder: "/"))
  }

  init(_ source: SecretSource, in environment: SettingsEnvironment) {
    self.source = source
    self.environment = environment
  }

  /// The file that it is kept in, if it is in one.
  public var file: String? { if case .file(let file) = source { file.path } else { nil } }

  /// The value, fetched anew from where it is kept. Takes bounded time; no error ever quotes the value.
  public func reveal() async throws -> String {
    try await source.value(in: environment)
  }
}
