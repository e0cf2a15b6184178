/// The settings of a plugin: a struct whose properties are declared with ``Setting``.
///
/// ```swift
/// public struct Settings: PluginSettings {
///   @Setting("Address of the folder.") public var url: String
///   @Setting("User name.") public var user = ""
///   public init() {}
/// }
/// ```
public protocol PluginSettings: Sendable {
  /// Settings with all defaults, as Swift makes them from the declarations.
  init()

  /// What is wrong with these settings together although each is right, one sentence each without a full stop.
  ///
  /// Asked once all of them were read without a mistake. Nothing is wrong unless you say so.
  var contradictions: [String] { get }
}

extension PluginSettings {
  /// Nothing is wrong with settings that are right one by one.
  public var contradictions: [String] { [] }

  /// The declarations in the order of the source.
  public static var declarations: [SettingDeclaration] {
    Self().declared.map { $0.setting.declaration(key: $0.key) }
  }

  /// All settings with the values they have, safe to be shown.
  public var effective: [EffectiveSetting] {
    declared.map { $0.setting.effective(key: $0.key) }
  }

  /// Where on this machine the plugin keeps the files that it is given: the values of the settings that are declared as
  /// ``SettingOption/localFolder``.
  public var localFolders: [String] {
    zip(Self.declarations, effective).compactMap { declaration, setting in
      guard declaration.isLocalFolder, case .string(let path)? = setting.value else { return nil }
      return path
    }
  }

  /// The settings behind the properties, with their keys.
  var declared: [(key: String, setting: any DeclaredSetting)] {
    Mirror(reflecting: self).children.compactMap { child in
      guard let label = child.label, let setting = child.value as? any DeclaredSetting else { return nil }
      return (kebabCase(String(label.trimmingPrefix("_"))), setting)
    }
  }
}

/// The settings of a plugin that has none.
public struct NoSettings: PluginSettings {
  /// No settings.
  public init() {}
}
