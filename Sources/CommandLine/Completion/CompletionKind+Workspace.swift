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
    .custom { arguments, _, _ in (configuration(of: arguments)?.remotes ?? []).map(\.name) }
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
    guard let configuration = configuration(of: arguments),
      let found = try? await Workspace.with(configuration, .readOnly, list)
    else { return [] }
    return Array(found.prefix(limit))
  }

  /// The settings of the command line to complete.
  private static func configuration(of arguments: [String]) -> DaemonConfiguration? {
    let option = arguments.firstIndex(of: "--settings").map { $0 + 1 }
    let file = option.flatMap { arguments.indices.contains($0) ? arguments[$0] : nil }
    let variables = SettingsEnvironment.current(forFileAt: ".").variables
    return try? SettingsLocation.read(
      SettingsLocation.path(named: file, variables: variables), registry: Program.registry)
  }
}
