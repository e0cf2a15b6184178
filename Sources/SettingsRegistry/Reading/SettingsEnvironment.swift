#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The context for values of a settings file: the folder of the file and the environment variables.
public struct SettingsEnvironment: Sendable, Hashable {
  /// The absolute path of the folder to which relative paths refer.
  public var folder: String
  /// The environment variables; `~` stands for `HOME`.
  public var variables: [String: String]

  /// True if other users can read the settings file, which then must not contain secrets.
  public var isReadableByOthers = false

  /// Creates an environment of these values.
  public init(folder: String, variables: [String: String] = [:]) {
    self.folder = folder
    self.variables = variables
  }

  /// Returns the environment of this process for the settings file at `path`.
  public static func current(forFileAt path: String) -> SettingsEnvironment {
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    var environment = SettingsEnvironment(
      folder: folder(of: path),
      variables: ProcessInfo.processInfo.environment.merging(["HOME": home]) { given, _ in given })
    environment.isReadableByOthers = SmallFile.isReadableByOthers(path)
    return environment
  }

  private static func folder(of path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let folder = absolute.prefix(upTo: absolute.lastIndex(of: "/") ?? absolute.startIndex)
    return folder.isEmpty ? "/" : String(folder)
  }

  /// Returns `text` with each `${NAME}` replaced by the environment variable. Throws if a variable is not set.
  public func expanded(_ text: String, at location: TextLocation) throws(SettingsError) -> String {
    var rest = text[...]
    var result = ""
    while let start = rest.firstRange(of: "${") {
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        throw SettingsError("\"${\" is not closed by \"}\"", at: location)
      }
      result += rest[..<start.lowerBound] + (try variable(String(rest[start.upperBound..<end]), at: location))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private func variable(_ name: String, at location: TextLocation) throws(SettingsError) -> String {
    guard let value = variables[name] else {
      throw SettingsError("the environment has no variable \"\(name)\"", at: location)
    }
    return value
  }
}
