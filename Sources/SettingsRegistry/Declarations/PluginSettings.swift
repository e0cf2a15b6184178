/// The settings of a plugin: a struct whose properties are declared with ``Setting``.
///
/// ```swift
/// public struct Settings: PluginSettings {
///   @Setting("Address of the folder.") public var url: String
///   @Setting("User name.") public var user = ""
///   public init() {}
/// }
/// ```
///
/// A stored property that holds other `PluginSettings` includes them as a group: their keys are keys of the same table, their
/// contradictions are reported with those of the struct, and code reads them by the property's name. So several plugins
/// share one declaration, such as how to reach a host:
///
/// ```swift
/// public var ssh = SSHSettings()
/// ```
///
/// Two settings of a struct and its groups must not have the same key.
public protocol PluginSettings: Sendable {
  /// Creates settings with all defaults; an empty body suffices.
  init()

  /// The errors in the combination of these settings, one sentence each without a full stop.
  ///
  /// Called only if each setting was read without an error. Default: none.
  var contradictions: [String] { get }
}

extension PluginSettings {
  public var contradictions: [String] { [] }

  /// The declarations in the order of the source.
  public static var declarations: [SettingDeclaration] {
    Self().declared.map { $0.setting.declaration(key: $0.key) }
  }

  /// All settings with their values in effect, safe to show.
  public var effective: [EffectiveSetting] {
    declared.map { $0.setting.effective(key: $0.key) }
  }

  /// The local paths of the plugin's files: the values of the settings with ``SettingOption/localFolder``.
  public var localFolders: [String] { paths { $0.isLocalFolder } }

  /// The files with secret keys: the values of the settings that are declared as ``SettingOption/privateFile``.
  public var privateFiles: [String] { paths { $0.isPrivateFile } }

  /// The secrets by key.
  public var secrets: [String: Secret] {
    declared.reduce(into: [:]) { secrets, property in secrets[property.key] = property.setting.secret }
  }

  private func paths(where isMeant: (SettingDeclaration) -> Bool) -> [String] {
    zip(Self.declarations, effective).compactMap { declaration, setting in
      guard isMeant(declaration), case .string(let path)? = setting.value else { return nil }
      return path
    }
  }

  /// The settings of all properties with their keys, including those of groups.
  var declared: [(key: String, setting: any DeclaredSetting)] {
    Mirror(reflecting: self).children.flatMap { child -> [(key: String, setting: any DeclaredSetting)] in
      guard let label = child.label, let setting = child.value as? any DeclaredSetting else {
        return Self.group(child.value)?.declared ?? []
      }
      return [(kebabCase(String(label.trimmingPrefix("_"))), setting)]
    }
  }

  /// The contradictions of these settings and of the included groups.
  var allContradictions: [String] {
    Mirror(reflecting: self).children.compactMap { Self.group($0.value) }.flatMap(\.allContradictions) + contradictions
  }

  /// Returns the value of a property if it is a group of settings. Most properties are settings, and a cast that fails searches
  /// all conformances of the program: half a million instructions for each type.
  private static func group(_ value: Any) -> (any PluginSettings)? {
    value is any DeclaredSetting ? nil : value as? any PluginSettings
  }
}

/// The settings of a plugin without settings.
public struct NoSettings: PluginSettings {
  /// Creates no settings.
  public init() {}
}

/// The key of a property in a settings file: `caFile` is `ca-file`, `apiURL` is `api-url`, `max_delete` is `max-delete`.
func kebabCase(_ name: String) -> String {
  let letters = Array(name)
  var key = ""
  for (index, letter) in letters.enumerated() {
    if letter.isUppercase, index > 0, startsWord(at: index, in: letters) { key.append("-") }
    key.append(letter == "_" ? "-" : letter.lowercased())
  }
  return key
}

/// Returns true if the capital at `index` starts a word; inside an abbreviation, as the R and L of `URL`, it does not.
private func startsWord(at index: Int, in letters: [Character]) -> Bool {
  let afterWord = letters[index - 1].isLowercase || letters[index - 1].isNumber
  let beforeWord = index + 1 < letters.count && letters[index + 1].isLowercase && letters[index - 1].isLetter
  return afterWord || beforeWord
}
