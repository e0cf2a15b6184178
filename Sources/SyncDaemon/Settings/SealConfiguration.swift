public import SyncKit

/// The settings of one kind of encryption that users apply to files of the store themselves: a table within that of the store.
public struct SealConfiguration: Sendable {
  public var id: String
  /// The file name suffix of such files.
  public var ending: String
  /// The settings of this kind of encryption.
  public var settings: any PluginSettings
  /// Creates the sealer for such files.
  let sealer: @Sendable (Runtime) -> any FileSealer

  init<Sealing: FileSealing>(_ type: Sealing.Type, in store: SettingsTable) {
    let settings = store.table(type.id).settings(Sealing.FileSettings.self)
    id = type.id
    ending = type.fileEnding
    self.settings = settings
    sealer = { type.fileSealer(settings, $0) }
  }

  /// Returns true if a file's name shows this kind of encryption.
  package func seals(_ path: SyncPath) -> Bool { path.name.suffix(ending.utf8.count).elementsEqual(ending.utf8) }

  /// The table in the documentation, within that of a store at `path`.
  static func section<Sealing: FileSealing>(_ type: Sealing.Type, in path: [String]) -> SettingsSection {
    SettingsSection(
      path + [type.id],
      "Keys for merging Org files that you encrypt yourself, such as notes.org\(type.fileEnding).",
      Sealing.FileSettings.self)
  }
}

extension Registry {
  /// The plugins that can encrypt single files of a store.
  var fileSealings: [any FileSealing.Type] { plugins(.encryption).compactMap { $0 as? any FileSealing.Type } }
}
