import ArgumentParser
import SyncDaemon
import SyncKit

/// Which of several stores a command is for.
extension CommonOptions {
  /// Returns the settings of the stores that the command is for, in file order: the one of `--store`, else those that have the
  /// named remotes, else all. Throws all errors in the settings, and usage errors for unknown names.
  func stores(of remotes: [String] = []) throws -> [DaemonConfiguration] {
    let all = try SettingsLocation.read(settingsPath, registry: Program.registry)
    let stores = try named(among: all)
    let names = stores.flatMap { $0.remotes.map(\.name) }
    for name in remotes where !names.contains(name) {
      throw ValidationError("\(UnknownRemote(name, among: names))")
    }
    return remotes.isEmpty ? stores : stores.filter { $0.remotes.contains { remotes.contains($0.name) } }
  }

  private func named(among stores: [DaemonConfiguration]) throws -> [DaemonConfiguration] {
    guard let store else { return stores }
    guard let named = stores.first(where: { $0.storeName == store }) else {
      let names = stores.map(\.storeName)
      let suggestion = names.nearest(to: store).map { "; did you mean \"\($0)\"?" }
      throw ValidationError("no store named \"\(store)\"" + (suggestion ?? "; \(Self.list(of: names))"))
    }
    return [named]
  }

  private static func list(of names: [String]) -> String {
    names.count == 1 ? "the only store is \(names[0])" : "the stores are \(names.joined(separator: ", "))"
  }

  /// Returns the settings of one store: the one of `--store`, else the only one, else the one that the working directory is in.
  func configuration() throws -> DaemonConfiguration { try one(of: stores(), if: { $0.containsWorkingDirectory }) }

  /// Returns the settings of the store that has a remote.
  func configuration(ofRemote name: String) throws -> DaemonConfiguration { try configuration(ofRemotes: [name]) }

  /// Returns the settings of the store that has all of these remotes; without any, as ``configuration()``.
  func configuration(ofRemotes names: [String]) throws -> DaemonConfiguration {
    try one(of: stores(of: names), if: { $0.containsWorkingDirectory })
  }

  /// Returns the settings of the store that has these files: that which they lead into, else that of the working directory, else
  /// the only one where they exist.
  func configuration(of paths: [StorePath]) throws -> DaemonConfiguration {
    let stores = try stores()
    let containing = stores.filter { store in !paths.isEmpty && paths.allSatisfy { $0.leads(into: store) } }
    if let only = containing.first, containing.count == 1 { return only }
    if let here = stores.first(where: \.containsWorkingDirectory) { return here }
    return try one(of: stores, if: { store in !paths.isEmpty && paths.allSatisfy { $0.exists(in: store) } })
  }

  /// Returns the settings of the store for which `isMeant` is true, if it is so for one only.
  func one(
    of stores: [DaemonConfiguration], if isMeant: (DaemonConfiguration) async throws -> Bool
  ) async throws -> DaemonConfiguration {
    if let only = stores.first, stores.count == 1 { return only }
    var meant: [DaemonConfiguration] = []
    for store in stores where try await isMeant(store) { meant.append(store) }
    return try one(of: stores, if: { store in meant.count == 1 && store.storeName == meant.first?.storeName })
  }

  private func one(
    of stores: [DaemonConfiguration], if isMeant: (DaemonConfiguration) -> Bool
  ) throws -> DaemonConfiguration {
    if let only = stores.first, stores.count == 1 { return only }
    let meant = stores.filter(isMeant)
    if let only = meant.first, meant.count == 1 { return only }
    let names = stores.map(\.storeName).joined(separator: ", ")
    throw ValidationError(
      "the settings have several stores (\(names)); choose one with --store, or run the command in its folder")
  }

  /// Returns the name of the store for a new remote: the one of `--store`, else the user's choice; nil if there is only one.
  func store(among stores: [DaemonConfiguration], _ interview: Interview) throws -> String? {
    let chosen = try named(among: stores)
    guard stores.count > 1 else { return nil }
    if let only = chosen.first, chosen.count == 1 { return only.storeName }
    let names = stores.map(\.storeName)
    guard interview.isOnTerminal else {
      throw ValidationError(
        "the settings have several stores; choose one with --store: \(names.joined(separator: ", "))")
    }
    return try interview.store(among: names)
  }

  /// Runs `body` for each of the stores that the command is for, and prints the document that it returns. If there are several,
  /// text has a heading for each store, and the documents are joined.
  func eachStore(
    of remotes: [String] = [], _ body: (DaemonConfiguration) async throws -> JSON?
  ) async throws {
    let stores = try stores(of: remotes)
    var documents: [(store: String, document: JSON)] = []
    for store in stores {
      if stores.count > 1, !json { Console.print("[\(store.storeTable)] \(store.store.place ?? "")") }
      if let document = try await body(store) { documents.append((store.storeName, document)) }
    }
    if let document = JSON.joined(documents) { Console.print(json: document) }
  }
}

extension DaemonConfiguration {
  /// True if the working directory is the store or inside it.
  fileprivate var containsWorkingDirectory: Bool { StorePath.workingDirectory(in: self) != nil }
}

extension JSON {
  /// Returns one document of several stores: arrays have the elements of all, each with the name of its `store`, and `stores` has
  /// what else each document says. All other members are those of the first store.
  static func joined(_ documents: [(store: String, document: JSON)]) -> JSON? {
    guard var joined = documents.first?.document, documents.count > 1 else { return documents.first?.document }
    var rests: [JSON] = []
    for (index, (store, document)) in documents.enumerated() {
      guard case .object(let members) = document else { continue }
      var rest: JSON = ["name": .string(store)]
      for member in members where member.name != "version" {
        guard case .array(let elements) = member.value else {
          rest[member.name == "store" ? "path" : member.name] = member.value
          continue
        }
        var before: [JSON] = []
        if index > 0, case .array(let elements)? = joined[member.name] { before = elements }
        joined[member.name] = .array(before + elements.map { $0.tagged(store) })
      }
      rests.append(rest)
    }
    if rests.contains(where: \.hasMoreThanName) { joined["stores"] = .array(rests) }
    return joined
  }

  private var hasMoreThanName: Bool {
    if case .object(let members) = self { members.count > 1 } else { false }
  }

  private func tagged(_ store: String) -> JSON {
    guard case .object = self else { return self }
    var tagged = self
    tagged["store"] = .string(store)
    return tagged
  }
}
