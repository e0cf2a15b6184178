import ArgumentParser
import SettingsRegistry
import SyncDaemon
import SyncKit

/// `syncd remote list`: lists the remotes in the settings.
struct RemoteListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the remotes in the settings, with their kind and location.")

  @OptionGroup var common: CommonOptions

  func run() throws {
    let stores = try common.stores()
    let remotes = stores.flatMap { store in store.remotes.map { ListedRemote($0, isOneOfSeveral: store.isOneOfSeveral) }
    }
    if common.json { return Console.print(json: ["version": 1, "remotes": .array(remotes.map(\.json))]) }
    let rows = remotes.map { [$0.name, $0.kind, $0.place] + $0.notes }
    for line in TextTable(rows: rows, flexible: 2).lines(width: Console.width) { Console.print(line) }
    if remotes.isEmpty, !common.quiet {
      Console.print("\(common.settingsPath) has no remotes; add one with `syncd remote add NAME`")
    }
  }
}

/// A remote in a list.
private struct ListedRemote {
  let name: String
  let kind: String
  /// The value of the settings that say where the files are, without secrets.
  let place: String
  let mode: RemoteMode
  let encryption: String
  /// The name of the store, if there are several.
  let store: String?

  init(_ remote: RemoteConfiguration, isOneOfSeveral: Bool) {
    name = remote.name
    store = isOneOfSeveral ? remote.storeName : nil
    (mode, encryption) = (remote.settings.mode, remote.settings.encryption)
    let (sync, cloud) = (remote.sync.type.id, remote.cloud?.type.id)
    kind =
      RemoteKind.all(of: Program.registry).first { $0.sync.id == sync && $0.cloud?.id == cloud }?.id
      ?? ([sync] + [cloud].compactMap(\.self)).joined(separator: "/")
    let plugins = [remote.cloud, remote.sync].compactMap { $0 }
    place =
      plugins.flatMap { plugin in
        let required = Set(plugin.type.declarations.filter { $0.isRequired && !$0.isSecret }.map(\.key))
        return EffectiveTable("", plugin.settings).settings.filter { required.contains($0.key) }
      }.compactMap { setting in
        if case .string(let text)? = setting.value { text } else { setting.value?.text }
      }.joined(separator: " ")
  }

  var notes: [String] {
    (store.map { ["store \($0)"] } ?? []) + (mode == .both ? [] : ["mode \(mode.rawValue)"])
      + (encryption == Registry.none ? [] : ["encrypted with \(encryption)"])
  }

  var json: JSON {
    var json: JSON = [
      "name": .string(name), "kind": .string(kind), "location": .string(place), "mode": .string(mode.rawValue),
      "encryption": .string(encryption),
    ]
    if let store { json["store"] = .string(store) }
    return json
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
