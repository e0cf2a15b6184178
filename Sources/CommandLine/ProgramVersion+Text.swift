import SyncDaemon
import SyncKit

extension ProgramVersion {
  /// The output of `syncd --version`: the version and the linked modules.
  static var text: String {
    ([number] + Program.registry.plugins.map { "\($0.role) \($0.id)" }).joined(separator: "\n  ")
  }
}
