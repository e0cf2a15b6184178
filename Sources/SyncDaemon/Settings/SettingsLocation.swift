package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds and reads the settings file.
package enum SettingsLocation {
  /// Returns the given path, else the one in `$SYNCD_SETTINGS`, else `syncd/settings.toml` in `$XDG_CONFIG_HOME` or
  /// `~/.config`.
  package static func path(named: String?, variables: [String: String]) -> String {
    if let named { return named }
    if let path = variables["SYNCD_SETTINGS"], !path.isEmpty { return path }
    if let folder = variables["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/syncd/settings.toml" }
    return (variables["HOME"] ?? "") + "/.config/syncd/settings.toml"
  }

  /// Reads and interprets the file at `path`. Returns the settings of each store.
  package static func read(_ path: String, registry: Registry) throws -> [DaemonConfiguration] {
    guard LocalFile.exists(path) else {
      throw SyncError(
        .invalidSettings,
        "no settings file at \(path); create one with `syncd init`, or choose one with `--settings FILE`")
    }
    let content: [UInt8]
    do { content = try LocalFile.read(path) } catch { throw SyncError(.invalidSettings, error.message) }
    let environment = SettingsEnvironment.current(forFileAt: path)
    let file = SettingsFile(content, file: path, environment: environment)
    return try DaemonConfiguration.stores(in: file, file: path, registry: registry)
  }
}
