import SettingsRegistry
import SyncDaemon
import SyncKit

/// The settings of remotes for another device: those that are declared as shareable.
struct Invitation: Codable, Equatable {
  var remotes: [Remote]
  /// The secrets of the remotes; nil if the other device must get them in another way.
  var sealed: SealedSecrets?

  /// The settings of one remote.
  struct Remote: Codable, Equatable {
    var name: String
    var sync: String
    var cloud: String?
    var encryption: String?
    /// The settings by table: the id of the plugin, or an empty text for the table of the remote itself.
    var settings: [String: [String: Value]] = [:]
    /// The secrets that the other device needs, by table.
    var secrets: [String: [String]] = [:]
    /// The fingerprint of the remote's key; nil if the remote is not encrypted, or was never synced.
    var fingerprint: String?

    fileprivate enum CodingKeys: String, CodingKey {
      case name = "n"
      case sync = "s"
      case cloud = "c"
      case encryption = "e"
      case settings = "t"
      case secrets = "q"
      case fingerprint = "f"
    }
  }

  private enum CodingKeys: String, CodingKey {
    case remotes = "r"
    case sealed = "x"
  }

  /// The value of a setting.
  enum Value: Codable, Equatable {
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case texts([String])

    init?(_ value: TOMLValue) {
      switch value {
      case .string(let text): self = .text(text)
      case .integer(let number): self = .integer(number)
      case .float(let number): self = .number(number)
      case .boolean(let isSet): self = .boolean(isSet)
      case .array(let nodes):
        let texts = nodes.compactMap { if case .string(let text) = $0.value { text } else { nil } }
        guard texts.count == nodes.count else { return nil }
        self = .texts(texts)
      case .dateTime, .table, .unreadable: return nil
      }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
      } else if let value = try? container.decode(Int.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else {
        self = .texts(try container.decode([String].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .boolean(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .text(let value): try container.encode(value)
      case .texts(let value): try container.encode(value)
      }
    }

    /// The value for a settings file.
    var toml: String {
      switch self {
      case .boolean(let value): TOMLValue.boolean(value).text
      case .integer(let value): TOMLValue.integer(value).text
      case .number(let value): TOMLValue.float(value).text
      case .text(let value): TOMLValue.string(value).text
      case .texts(let values): "[" + values.map { TOMLValue.string($0).text }.joined(separator: ", ") + "]"
      }
    }
  }
}

extension Invitation.Remote {
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .name)
    sync = try container.decode(String.self, forKey: .sync)
    cloud = try container.decodeIfPresent(String.self, forKey: .cloud)
    encryption = try container.decodeIfPresent(String.self, forKey: .encryption)
    settings = try container.decodeIfPresent([String: [String: Invitation.Value]].self, forKey: .settings) ?? [:]
    secrets = try container.decodeIfPresent([String: [String]].self, forKey: .secrets) ?? [:]
    fingerprint = try container.decodeIfPresent(String.self, forKey: .fingerprint)
  }

  /// The keys in the remote's own table that select its plugins.
  static let selectors: Set<String> = ["sync", "cloud", "encryption"]

  /// Returns the settings of a remote that the file sets and that make sense on another device.
  ///
  /// - Parameter home: the user's home folder, which another device may have elsewhere.
  init(_ remote: RemoteConfiguration, home: String, fingerprint: String?) {
    name = remote.name
    sync = remote.sync.type.id
    cloud = remote.cloud?.type.id
    encryption = remote.encryption?.type.id
    self.fingerprint = fingerprint
    add(remote.settings, to: "", home)
    for plugin in [remote.cloud, remote.sync, remote.encryption].compactMap(\.self) {
      add(plugin.settings, to: plugin.type.id, home)
    }
  }

  private mutating func add(_ table: some PluginSettings, to id: String, _ home: String) {
    for (declaration, setting) in zip(type(of: table).declarations, table.effective) where setting.isFromFile {
      if declaration.isSecret {
        secrets[id, default: []].append(declaration.key)
      } else if declaration.isShareable, id != "" || !Self.selectors.contains(setting.key),
        let value = setting.value.flatMap(Invitation.Value.init)
      {
        settings[id, default: [:]][declaration.key] = declaration.isLocalFolder ? value.replacingHome(home) : value
      }
    }
  }
}

extension EffectiveSetting {
  fileprivate var isFromFile: Bool { if case .file = origin { true } else { false } }
}

extension Invitation.Value {
  fileprivate func replacingHome(_ home: String) -> Self {
    guard case .text(let path) = self, !home.isEmpty, path.hasPrefix("\(home)/") else { return self }
    return .text("~" + path.dropFirst(home.count))
  }
}
