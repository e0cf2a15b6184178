/// Where a secret is kept.
enum SecretSource: Sendable {
  case literal(String)

  /// The secret itself.
  func value(in environment: SettingsEnvironment) async throws -> String {
    switch self {
    case .literal(let value): value
    }
  }
}
