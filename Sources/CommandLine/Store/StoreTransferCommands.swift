import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd store export`: copies the store into a folder.
struct StoreExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Copy all files of the store into a folder, with their names and times.",
    discussion: "Example: syncd store export ~/org")

  @OptionGroup var common: CommonOptions
  @Argument(help: "Folder, empty or missing.", completion: .directory) var folder: String

  func run() async throws {
    let folder = ServiceFile.absolute(folder)
    let result = try await Workspace.with(try common.configuration(), .exclusive) { workspace in
      try await StoreTransfer(workspace, folder: folder).export()
    }
    try StoreTransferReport(common, result).print("exported", "to \(folder)")
  }
}

/// `syncd store import`: copies a folder into the store.
struct StoreImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Copy all files of a folder into the store, with their names and times.",
    discussion: """
      A file of the store that has the same name is replaced, and its version is in the history; the others stay. Links, empty \
      folders, permissions and `.git` are left out. Example: syncd store import ~/org
      """)

  @OptionGroup var common: CommonOptions
  @Argument(help: "Folder.", completion: .directory) var folder: String

  func run() async throws {
    let folder = ServiceFile.absolute(folder)
    let configuration = try common.configuration()
    if let root = configuration.store.root, FolderNames.resolved(root) == FolderNames.resolved(folder) {
      throw ValidationError("\(folder) is the store")
    }
    let result = try await Workspace.with(configuration, .exclusive) { workspace in
      try await StoreTransfer(workspace, folder: folder).importFolder()
    }
    try StoreTransferReport(common, result).print("imported", "from \(folder)")
  }
}

/// The report of a transfer.
private struct StoreTransferReport {
  private let common: CommonOptions
  private let result: StoreTransfer.Result

  init(_ common: CommonOptions, _ result: StoreTransfer.Result) { (self.common, self.result) = (common, result) }

  /// Prints what was copied and what was not; throws the exit status if something was left out.
  func print(_ verb: String, _ place: String) throws {
    for failure in result.failures { Console.error("syncd: \(failure)") }
    if common.json {
      Console.print(
        json: [
          "version": 1, "copied": .integer(result.copied), "unchanged": .integer(result.unchanged),
          "bytes": .integer(result.bytes), "failures": .array(result.failures.map(JSON.string)),
        ])
    } else if !common.quiet {
      let same = result.unchanged > 0 ? "; \(result.unchanged.counted("file")) unchanged" : ""
      Console.print("\(verb) \(result.copied.counted("file")) \(place)\(same)")
    }
    if !result.failures.isEmpty { throw ExitCode(PassResult.failed.exitStatus) }
  }
}
