import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// What a shell suggests for an argument. Nothing is suggested if the settings cannot be read.
extension CompletionKind {
  /// The maximum number of suggestions.
  private static var limit: Int { 1_000 }

  /// The names of the remotes.
  static var remotes: CompletionKind {
    .custom { arguments, _, _ in stores(of: arguments).flatMap { $0.remotes.map(\.name) } }
  }

  /// The names of the stores.
  static var stores: CompletionKind {
    .custom { arguments, _, _ in stores(of: arguments, isNarrowed: false).map(\.storeName) }
  }

  /// The IDs of held deletions.
  static var holds: CompletionKind {
    .custom { arguments, _, _ in
      await suggestions(arguments) { try await $0.history.holds().map(\.hold.id) }
    }
  }

  /// The numbers of the last passes.
  static var passes: CompletionKind {
    .custom { arguments, _, _ in
      await suggestions(arguments) { try await $0.history.passes(atMost: 20).map { "\($0.number)" } }
    }
  }

  /// The merge tools that git knows.
  static var mergeTools: CompletionKind { .shellCommand(#"ls "$(git --exec-path)/mergetools" 2>/dev/null"#) }

  /// The files in the store.
  static var storeFiles: CompletionKind {
    .custom { arguments, _, word in
      await suggestions(arguments) { workspace in
        let store = try await workspace.stack.openStore()
        let filter = try await workspace.stack.filter(for: store)
        let listed = try await store.list(since: Known(filter: filter)).changedPaths
        return listed.map(\.description).filter { $0.hasPrefix(word) }
      }
    }
  }

  /// The conflict copies of other programs.
  static var foreignCopies: CompletionKind {
    .custom { arguments, _, _ in
      await suggestions(arguments) { try await CopyAdoption(in: $0).copies().map(\.path.description) }
    }
  }

  private static func suggestions(
    _ arguments: [String], _ list: @Sendable (Workspace) async throws -> [String]
  ) async -> [String] {
    var found: [String] = []
    for store in stores(of: arguments) {
      found += (try? await Workspace.with(store, .readOnly, list)) ?? []
    }
    return Array(found.prefix(limit))
  }

  /// The settings of the command line to complete: of the store that it names, else of all.
  private static func stores(of arguments: [String], isNarrowed: Bool = true) -> [DaemonConfiguration] {
    let variables = SettingsEnvironment.current(forFileAt: ".").variables
    let path = SettingsLocation.path(named: value(of: "--settings", in: arguments), variables: variables)
    let stores = (try? SettingsLocation.read(path, registry: Program.registry)) ?? []
    let named = stores.filter { $0.storeName == value(of: "--store", in: arguments) }
    return isNarrowed && !named.isEmpty ? named : stores
  }

  private static func value(of option: String, in arguments: [String]) -> String? {
    let place = arguments.firstIndex(of: option).map { $0 + 1 }
    return place.flatMap { arguments.indices.contains($0) ? arguments[$0] : nil }
  }
}
