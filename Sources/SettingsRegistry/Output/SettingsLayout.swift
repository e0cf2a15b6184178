/// The sections of a settings file in the order of the documentation.
///
/// Several sections may share a table, as those of the stores do; a choice determines which of them applies.
/// ``template`` and ``schema`` are made from it.
public struct SettingsLayout: Sendable, Hashable {
  /// The sections.
  public let sections: [SettingsSection]

  /// Creates the layout of these sections. The values of a setting that chooses a plugin are the ids in the sections.
  public init(_ sections: [SettingsSection]) {
    self.sections = sections.map { section in
      var section = section
      section.declarations = section.declarations.map { declaration in
        let ids = sections.compactMap(\.choice).filter { $0.path == section.path && $0.key == declaration.key }.map(
          \.id)
        return ids.isEmpty ? declaration : declaration.choosing(from: ids)
      }
      return section
    }
  }
}

extension SettingDeclaration {
  /// Returns the declaration of a setting whose value is one of these ids; also ``Registry/none`` if it is optional or that is
  /// its default.
  fileprivate func choosing(from ids: [String]) -> SettingDeclaration {
    let mayBeNone = defaultValue == .string(Registry.none) || (defaultValue == nil && !isRequired)
    var declaration = self
    declaration.form = .one(of: mayBeNone ? ids + [Registry.none] : ids)
    return declaration
  }
}

/// The settings of one table, or those of one plugin in it, for documentation.
public struct SettingsSection: Sendable, Hashable {
  /// The path component that represents any name that the user chooses.
  public static let anyName = "*"

  /// The setting that chooses a plugin, and its value.
  public struct Choice: Sendable, Hashable {
    /// The keys that lead to the table of that setting.
    public let path: [String]
    /// The key of that setting.
    public let key: String
    /// The id of the plugin.
    public let id: String
  }

  /// The keys that lead to the table, such as `remotes`, `*`, `webdav`.
  public let path: [String]
  /// One sentence about the purpose of the settings.
  public let summary: String
  /// The table's header, with `NAME` for a name that the user chooses: `[remotes.NAME.webdav]`, `[[on]]`.
  public var header: String {
    let name = path.map { $0 == Self.anyName ? "NAME" : $0 }.joined(separator: ".")
    return isArray ? "[[\(name)]]" : "[\(name)]"
  }

  /// The choice by which the section applies; nil if it always applies.
  public let choice: Choice?
  /// True if the file may have any number of such tables, each with the header `[[path]]`.
  public let isArray: Bool
  /// True if the file may leave out the table although it has required settings.
  public let isOptional: Bool
  /// True if the presence of the table has an effect, even without settings.
  public let isSwitch: Bool
  /// The settings.
  public internal(set) var declarations: [SettingDeclaration]

  /// Creates the section of `type` in the table at `path`, or in each element of the array of tables at `path`.
  public init(
    _ path: [String], _ summary: String, _ type: any PluginSettings.Type, isArray: Bool = false,
    isOptional: Bool = false, isSwitch: Bool = false
  ) {
    self.path = path
    self.isArray = isArray
    self.isOptional = isOptional
    self.isSwitch = isSwitch
    self.summary = summary
    choice = nil
    declarations = type.declarations
  }

  /// Creates the section of `plugin`, which the setting `key` of the table at `path` chooses.
  public init(
    _ plugin: any Plugin.Type, in path: [String], chosenBy key: String,
    settingsIn place: SettingsTable.PluginTable = .ownTable
  ) {
    self.path = place == .ownTable ? path + [plugin.id] : path
    summary = plugin.summary
    choice = Choice(path: path, key: key, id: plugin.id)
    isArray = false
    isOptional = false
    isSwitch = false
    declarations = plugin.declarations
  }
}
