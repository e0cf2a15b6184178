public import SyncKit

/// One kind of encryption that users apply to files of the store themselves, as the settings describe it: a table within
/// that of the store.
public struct SealConfiguration: Sendable {
  public var id: String
  /// What the names of such files end with.
  public var ending: String
  /// The settings of this kind of encryption.
  public var settings: any PluginSettings
  /// What opens them.
  let sealer: @Sendable (Runtime) -> any FileSealer

  init<Sealing: FileSealing>(_ type: Sealing.Type, in store: SettingsTable) {
    let settings = store.table(type.id).settings(Sealing.FileSettings.self)
    id = type.id
    ending = type.fileEnding
    self.settings = settings
    sealer = { type.fileSealer(settings, $0) }
  }

  /// True if a file is encrypted in this way, by its name.
  package func seals(_ path: SyncPath) -> Bool { path.name.suffix(ending.utf8.count).elementsEqual(ending.utf8) }

  /// The table as documentation shows it.
  static func section<Sealing: FileSealing>(_ type: Sealing.Type) -> SettingsSection {
    SettingsSection(
      ["store", type.id],
      "Keys for merging Org files that you encrypt yourself, such as notes.org\(type.fileEnding).",
      Sealing.FileSettings.self)
  }
}

extension Registry {
  /// The plugins that people use for files of their store.
  var fileSealings: [any FileSealing.Type] { plugins(.encryption).compactMap { $0 as? any FileSealing.Type } }
}
