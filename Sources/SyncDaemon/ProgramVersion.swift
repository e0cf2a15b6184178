import SyncKit

/// Which version this is.
enum ProgramVersion {
  static let number = "0.1.0"

  /// What `syncd --version` prints: the version, and the modules that were linked in.
  static var text: String {
    ([number] + Program.registry.plugins.map { "\($0.role) \($0.id)" }).joined(separator: "\n  ")
  }
}
