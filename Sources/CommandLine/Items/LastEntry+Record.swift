import SyncDaemon
import SyncKit

extension LastEntry {
  /// Records the entry that a command made or changed for `@last`. The command has done its work by then, and would do it twice
  /// if it were repeated; so a failure is reported, but does not make the command fail.
  static func record(in configuration: DaemonConfiguration, _ entry: () throws -> LastEntry?) {
    do {
      guard let entry = try entry() else { return }
      try StateFolder(path: configuration.stateFolder).record(last: entry)
    } catch {
      let reason = (error as? SyncError)?.message ?? "\(error)"
      Console.error("syncd: the entry is saved, but `@last` does not name it: \(reason)")
    }
  }
}
