import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd store`: commands about the files of the store, for stores that have no folder to show.
struct StoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "List, read and change the files of the store.",
    subcommands: [
      StoreListCommand.self, StoreReadCommand.self, StorePutCommand.self, StoreMoveCommand.self,
      StoreRemoveCommand.self, StoreExportCommand.self, StoreImportCommand.self, StoreRepairCommand.self,
    ])
}

/// `syncd store ls`: lists the files.
struct StoreListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List the files of the store with their sizes and times.",
    discussion: "Example: syncd store ls 'journal/**'")

  @OptionGroup var common: CommonOptions
  @Flag(help: "List files that the settings exclude from syncs, too.") var all = false
  @Argument(
    help: ArgumentHelp(
      "Only these files: paths in the store, or patterns in git's syntax. Default: all.", valueName: "pattern"))
  var patterns: [String] = []

  func run() async throws {
    try await common.eachStore { configuration in
      let entries = try await Workspace.with(configuration, .readOnly) { workspace in
        try await listed(in: workspace)
      }
      if common.json { return ["version": 1, "files": .array(entries.map(json))] }
      let rows = entries.map { entry in
        ["\(entry.size)", entry.modified.map { "\(LocalTime($0))" } ?? "", "\(entry.path)"]
      }
      Console.print(lines: TextTable(rows: rows, flexible: 2).lines(width: nil))
      return nil
    }
  }

  private func listed(in workspace: Workspace) async throws(SyncError) -> [Entry] {
    let store = try await workspace.stack.openStore()
    let filter = all ? PathFilter() : try await workspace.stack.filter(for: store)
    let chosen = patterns.map(PathChoice.init)
    return try await store.list(since: Known(filter: filter)).entries.filter { entry in
      chosen.isEmpty || chosen.contains { $0.matches(entry.path) }
    }
  }

  private func json(_ entry: Entry) -> JSON {
    [
      "path": .string(entry.path.description), "size": .integer(entry.size),
      "modified": entry.modified.map { .string("\(CivilTime($0))") } ?? .null,
    ]
  }
}

/// `syncd store cat`: prints a file.
struct StoreReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Print a file of the store.", discussion: "Example: syncd store cat inbox.org")

  @OptionGroup var common: CommonOptions
  @Argument(help: "File in the store.", completion: .storeFiles) var path: StorePath

  func run() async throws {
    let configuration = try common.configuration(of: [path])
    let path = try path.path(in: configuration)
    try await Workspace.with(configuration, .readOnly) { workspace in
      let store = try await workspace.stack.openStore()
      // A store that does not exist has no files either, but that is another error.
      _ = try await store.confirm(file: path)
      // First all of it is verified, then it is printed.
      let found = try entry(try await store.read(file: path, into: DigestSink()), path)
      let printed = try entry(try await store.read(file: path, into: PrintingSink()), path)
      guard printed.digest == found.digest else {
        throw SyncError(.changedMeanwhile, "\(path) changed while it was printed; try again")
      }
    }
  }

  private func entry(_ result: ReadResult, _ path: SyncPath) throws(SyncError) -> Entry {
    switch result {
    case .read(let entry): return entry
    case .absent: throw SyncError(.notFound, "\(path) not found in the store")
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }
}

/// Prints a content as it arrives.
private struct PrintingSink: ContentSink {
  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    try await DigestSink().receive(size: size) { intake throws(SyncError) in try await body(Intake(intake)) }
  }

  private final class Intake: ContentIntake {
    private let next: any ContentIntake

    init(_ next: any ContentIntake) { self.next = next }

    func write(_ chunk: [UInt8]) async throws(SyncError) {
      Console.print(bytes: chunk)
      try await next.write(chunk)
    }
  }
}

/// `syncd store repair`: replaces a damaged store.
struct StoreRepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Restore a damaged store.",
    discussion: """
      The damaged file stays under another name. A new one gets every file that is intact, and the last contents of the others from \
      the history or from the last copy. The next pass merges both sides with each remote, fetches the files that are missing, and \
      deletes nothing. Example: syncd store repair
      """)

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let repair = try await Workspace.with(try common.configuration(), .exclusive) { try await $0.repairStore() }
    if common.json {
      Console.print(json: json(repair))
    } else if !common.quiet {
      for line in lines(repair) { Console.print(line) }
    }
    if !repair.missing.isEmpty { throw ExitCode(PassResult.failed.exitStatus) }
  }

  private func lines(_ repair: StoreRepair) -> [String] {
    ["the damaged store is kept in \(repair.damaged); \(repair.intact.counted("file")) of it are intact"]
      + repair.restored.map { "restored \($0)" } + repair.older.map { "restored \($0) from an older copy" }
      + repair.missing.map { "\($0) is missing; a remote may have it" }
      + (repair.mayLackFiles ? ["the names of some files may be lost; the remotes have those that were synced"] : [])
      + ["the next pass merges both sides with each remote, and deletes nothing"]
  }

  private func json(_ repair: StoreRepair) -> JSON {
    func list(_ paths: [SyncPath]) -> JSON { .array(paths.map { .string($0.description) }) }
    return [
      "version": 1, "damaged": .string(repair.damaged), "intact": .integer(repair.intact),
      "restored": list(repair.restored), "older": list(repair.older), "missing": list(repair.missing),
      "may-lack-files": .boolean(repair.mayLackFiles),
    ]
  }
}
