import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// The entries of the store's Org files, as the commands that list entries read them.
struct StoreItems {
  let folder: OrgFolder
  let settings: OrgSettings
  let now: OrgMoment

  /// Reads the files of the store.
  ///
  /// - Parameter time: the wall time as `2026-03-10 14:30`; nil is now.
  init(_ common: CommonOptions, at time: String?) async throws {
    let configuration = try common.configuration()
    guard let root = configuration.store.root else {
      throw SyncError(.invalidSettings, "cannot list entries: [store] has no `path`")
    }
    settings = try await Self.settings(configuration, OrgVariables.read(beside: common.settingsPath))
    now = try Self.moment(time)
    folder = OrgFolder(try StoreFiles(root: root).set, settings)
  }

  /// Adds the states of files that declare none: those that a desktop published, otherwise those of the merger.
  private static func settings(
    _ configuration: DaemonConfiguration, _ variables: OrgSettings
  ) async throws -> OrgSettings {
    var settings = variables
    guard settings["org-todo-keywords"] == nil else { return settings }
    let desktops = try await Workspace.with(configuration, .readOnly) { try await $0.desktops() }
    let lines = desktops.first { !$0.setup.todo.isEmpty }?.setup.todo ?? ["TODO NEXT WAITING | DONE CANCELLED"]
    settings["org-todo-keywords"] = .list(
      lines.map { line in .list([.symbol("sequence")] + line.split(separator: " ").map { .text(String($0)) }) })
    return settings
  }

  private static func moment(_ time: String?) throws -> OrgMoment {
    guard let time else { return OrgZone.local.moment(at: Int(Runtime.real.now().seconds)) }
    guard let moment = OrgMoment(time) else {
      throw ValidationError("--at expects a time such as \"2026-03-10 14:30\", not \(time)")
    }
    return moment
  }

  /// All items, in the order of the files.
  var all: [OrgItem] { Array(folder.items.joined()) }

  /// The agenda views of the entries.
  func agenda(_ variables: OrgSettings? = nil) -> OrgAgenda {
    OrgAgenda(
      folder.items, now: now, settings: variables ?? settings, groups: folder.groups, states: folder.states,
      text: folder.text)
  }

  /// Returns a day as a person types it: `2026-03-10`, `fri`, `+3`, `tomorrow`.
  func day(_ text: String) throws -> OrgDay {
    switch text {
    case "today": return now.day
    case "tomorrow": return now.day.advanced(by: 1)
    case "yesterday": return now.day.advanced(by: -1)
    default: break
    }
    let typed = try OrgDateReader(now: now, zone: .local, settings: settings).read(text).typed
    guard let day = OrgDay(iso: String(typed.prefix(10))) else {
      throw ValidationError("\(text) is not a date; write 2026-03-10, fri or +3")
    }
    return day
  }
}

/// The options of commands that list entries.
struct ItemOptions: ParsableArguments {
  @Option(help: "Wall time to use instead of now, such as \"2026-03-10 14:30\".")
  var at: String?

  /// Calls a function with the store's entries. An error in a query becomes a usage error.
  func with(_ common: CommonOptions, _ body: (StoreItems) throws -> Void) async throws {
    do {
      try body(try await StoreItems(common, at: at))
    } catch let error as OrgQueryError {
      throw ValidationError("query, \(error)")
    } catch let error as Refusal {
      throw ValidationError(error.description)
    }
  }
}
