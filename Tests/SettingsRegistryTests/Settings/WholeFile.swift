import SettingsRegistry

/// A program's reading of a whole settings file: a static part, a store, and remotes with the modules they chose.
struct WholeFile: Sendable {
  struct Daemon: PluginSettings {
    @Setting("Where the program keeps what it must remember.") var state: SettingPath = "~/.local/state/syncd"
    @Setting("Look for changes at least this often.") var interval = Duration.seconds(300)
    @Setting("Wait until files have been still for this long.") var quiet = Duration.milliseconds(500)
    @Setting("Wait no longer than this for files to be still.") var maxDelay = Duration.seconds(10)
    @Setting("Hold the deletions of a pass that would delete more than this.") var maxDelete = Share.percent(25)
    @Setting("How long replaced and deleted versions are kept.") var history = Duration.seconds(90 * 86_400)
    @Setting("What is done when both sides changed.") var conflicts = Conflicts.merge
    @Setting("How much is logged.") var logLevel = LogLevel.info
    init() {}
  }

  enum Conflicts: String, CaseIterable, SettingValue {
    case merge
    case keepBoth = "keep-both"
    case preferLocal = "prefer-local"
    case preferRemote = "prefer-remote"
  }

  enum LogLevel: String, CaseIterable, SettingValue {
    case debug, info, warning, error
  }

  struct Store: PluginSettings {
    @Setting("What holds the files.") var backend = "org-files"
    @Setting("Which files are synced.") var include: [Glob] = ["**/*"]
    @Setting("Which of them are not.") var exclude: [Glob] = []
    init() {}
  }

  struct Remote: PluginSettings {
    @Setting("How the remote is synced.") var sync: String
    @Setting("Where the files are staged.") var cloud: String? = nil
    @Setting("How they are encrypted there.") var encryption = "none"
    init() {}
  }

  struct Alarm: PluginSettings {
    @Setting("What rings.") var bell: String
    @Setting("How loud it is.", .range(0...10)) var volume = 5
    init() {}
  }

  struct Stack: Sendable {
    let name: String
    let settings: Remote
    let sync, cloud, encryption: ChosenPlugin?
  }

  let daemon: Daemon
  let store: Store
  let storePlugin: ChosenPlugin?
  let remotes: [Stack]
  let alarms: [Alarm]

  init(_ root: SettingsTable, _ registry: Registry) {
    daemon = root.table("syncd").settings()
    let table = root.table("store")
    store = table.settings()
    storePlugin = table.plugin(.store, chosenBy: store.$backend, from: registry, settingsIn: .thisTable)
    remotes = root.table("remotes").namedTables().map { Stack($0, registry) }
    alarms = root.elements("alarm").map { $0.settings() }
  }
}

extension WholeFile.Stack {
  init(_ table: SettingsTable, _ registry: Registry) {
    name = table.path.last ?? ""
    settings = table.settings()
    sync = table.plugin(.sync, chosenBy: settings.$sync, from: registry)
    cloud = table.plugin(.cloud, chosenBy: settings.$cloud, from: registry)
    encryption = table.plugin(.encryption, chosenBy: settings.$encryption, from: registry)
    if encryption != nil, cloud == nil {
      table.report("encryption needs a cloud", at: settings.$encryption.origin.location)
    }
  }
}

extension WholeFile {
  static func layout(_ registry: Registry) -> SettingsLayout {
    var sections = [SettingsSection(["syncd"], "The program itself.", Daemon.self)]
    sections.append(SettingsSection(["store"], "Where the files are on this machine.", Store.self))
    sections += registry.plugins(.store).map {
      SettingsSection($0, in: ["store"], chosenBy: "backend", settingsIn: .thisTable)
    }
    sections.append(SettingsSection(["remotes", "*"], "What the store is synced with.", Remote.self))
    for role in [PluginRole.sync, .cloud, .encryption] {
      sections += registry.plugins(role).map {
        SettingsSection($0, in: ["remotes", "*"], chosenBy: role.name)
      }
    }
    sections.append(SettingsSection(["alarm"], "What rings when.", Alarm.self, isArray: true))
    return SettingsLayout(sections)
  }
}
