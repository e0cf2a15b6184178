import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

extension StoreItems {
  /// Reads the files of the store that a command is for.
  ///
  /// - Parameter time: the wall time as `2026-03-10 14:30`; nil is now.
  init(_ common: CommonOptions, at time: String?) async throws {
    try await self.init(try common.configuration(), at: try Self.moment(time))
  }

  /// Returns the wall time that a person typed; nil is now.
  static func moment(_ time: String?) throws -> OrgMoment {
    guard let time else { return OrgZone.local.moment(at: Int(Runtime.real.now().seconds)) }
    guard let moment = OrgMoment(time) else {
      throw ValidationError("--at expects a time such as \"2026-03-10 14:30\", not \(time)")
    }
    return moment
  }

  /// Returns a day as a person types it: `2026-03-10`, `fri`, `+3`, `tomorrow`.
  func day(_ text: String) throws -> OrgDay {
    try OrgDateReader(now: now, zone: .local, settings: settings).readStrictly(text).moment.day
  }
}

/// The options of commands that list entries.
struct ItemOptions: ParsableArguments {
  @Option(help: "Wall time to use instead of now, such as \"2026-03-10 14:30\".")
  var at: String?

  /// Calls a function with the store's entries. An error in a query becomes a usage error. Names on standard error what could not
  /// be read, and whose entries are missing; then the command ends with the exit status of a failed file.
  func with<Value>(_ common: CommonOptions, _ body: (StoreItems) throws -> Value) async throws -> Value {
    let (value, unread) = try await readable(common, body)
    for line in unread { Console.error(line) }
    guard unread.isEmpty else { throw ExitCode(PassResult.failed.exitStatus) }
    return value
  }

  /// Calls a function with the store's entries, and returns also a line for each file and folder that could not be read.
  func readable<Value>(
    _ common: CommonOptions, _ body: (StoreItems) throws -> Value
  ) async throws -> (value: Value, unread: [String]) {
    do {
      let items = try await StoreItems(common, at: at)
      let value = try body(items)
      let unread = items.unread.sorted { $0.key < $1.key }.map { path, reason in
        "syncd: cannot read \(path.isEmpty ? "the store" : path), so its entries are missing here: \(reason)"
          .printableLine
      }
      return (value, unread)
    } catch let error as OrgQueryError {
      throw ValidationError("query, \(error)")
    } catch let error as Refusal {
      guard error.kind == .notFound else { throw ValidationError(error.description) }
      throw SyncError(.notFound, error.description)
    }
  }
}
