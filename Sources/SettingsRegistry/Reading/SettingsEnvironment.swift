#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the values of a settings file may refer to: the folder of the file and the environment variables.
public struct SettingsEnvironment: Sendable, Hashable {
  /// The absolute path of the folder to which relative paths are relative.
  public var folder: String
  /// The environment variables; `HOME` is what `~` stands for.
  public var variables: [String: String]

  /// An environment of exactly this.
  public init(folder: String, variables: [String: String] = [:]) {
    self.folder = folder
    self.variables = variables
  }

  /// The environment of this process for the settings file at `path`.
  public static func current(forFileAt path: String) -> SettingsEnvironment {
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    return SettingsEnvironment(
      folder: folder(of: path),
      variables: ProcessInfo.processInfo.environment.merging(["HOME": home]) { given, _ in given })
  }

  private static func folder(of path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let folder = absolute.prefix(upTo: absolute.lastIndex(of: "/") ?? absolute.startIndex)
    return folder.isEmpty ? "/" : String(folder)
  }

  /// `text` with each `${NAME}` replaced by the environment variable.
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
