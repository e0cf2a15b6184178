import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd history`: commands about the previous versions of all files.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Shrink the history of previous versions, or remove a leaked text from it.",
    subcommands: [Prune.self, Purge.self])

  struct Prune: AsyncParsableCommand, DryRunning {
    static let configuration = CommandConfiguration(
      commandName: "prune", abstract: "Remove the previous versions that the settings do not keep.",
      discussion: """
        syncd does this once a day by itself. The last three versions of each file, those of the last seven days and those \
        that an undo of the last three passes needs always stay.
        """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var plan: DryRunOption

    private var dryRun: Bool { plan.dryRun }

    func run() async throws {
      try await common.eachStore { configuration in
        let pruned = try await Workspace.with(configuration, dryRun ? .readOnly : .exclusive) {
          try await $0.pruneHistory()
        }
        return show(pruned)
      }
    }

    private func show(_ pruned: PrunedHistory) -> JSON? {
      if common.json {
        return [
          "version": 1, "dry-run": .boolean(dryRun), "versions": .integer(pruned.versions),
          "contents": .integer(pruned.contents), "bytes": .integer(pruned.bytes),
        ]
      }
      guard !common.quiet else { return nil }
      Console.print(
        "\(dryRun ? "would remove" : "removed") \(pruned.versions.counted("version")), \(size(pruned.bytes)) of contents"
      )
      return nil
    }
  }

  struct Purge: AsyncParsableCommand, DryRunning {
    static let configuration = CommandConfiguration(
      commandName: "purge",
      abstract: "Remove all previous versions of a file, for example after a password leaked into it.",
      discussion: """
        Remove the text from the file and sync first. The present version stays. The command refuses to run while the file, a \
        remote or a conflict still has what you want to remove, and names it. Other devices have their own history; run the \
        command there, too.
        """)

    @OptionGroup var common: CommonOptions
    @Flag(
      help:
        "Also remove all other versions with a text, and prove that no file of the state folder contains it. The text is read from standard input."
    )
    var text = false
    @Flag(help: "Remove what can be removed here, although something else still has it.") var anyway = false
    @OptionGroup var plan: DryRunOption
    @Argument(help: "The file.") var path: StorePath

    private var dryRun: Bool { plan.dryRun }

    func run() async throws {
      let configuration = try common.configuration(of: [path])
      let path = try path.path(in: configuration)
      let text = try self.text ? Self.leakedText() : nil
      try await Workspace.with(configuration, .exclusive) { workspace in
        let purge = try await HistoryPurge(path, text: text, in: workspace)
        let isRefused = !purge.remains.isEmpty && !anyway
        if !isRefused, !dryRun { try await purge.carryOut() }
        let files = isRefused || dryRun ? [] : try await purge.filesWithText()
        tell(purge, path, isRefused, files)
        if isRefused || !files.isEmpty { throw ExitCode(4) }
      }
    }

    /// Reads the text without its last line break.
    private static func leakedText() throws -> [UInt8] {
      let line = Console.canAsk ? SecretPrompt.answer(to: "Text to remove (not shown):") : readLine()
      guard let line, line.utf8.count >= 4 else {
        throw ValidationError("the text to remove has fewer than 4 bytes")
      }
      return Array(line.utf8)
    }

    private func tell(_ purge: HistoryPurge, _ path: SyncPath, _ isRefused: Bool, _ files: [String]) {
      if common.json {
        return Console.print(
          json: [
            "version": 1, "path": .string(path.description), "dry-run": .boolean(dryRun),
            "removed": .integer(isRefused || dryRun ? 0 : purge.digests.count),
            "found": .integer(purge.digests.count), "remains": .array(purge.remains.map(JSON.string)),
            "files": .array(files.map(JSON.string)),
          ])
      }
      for line in purge.remains { Console.error("syncd: \(line)") }
      if isRefused { return Console.error("syncd: removed nothing; `--anyway` removes what is only in the history") }
      for file in files {
        Console.error("syncd: \(file) still contains the text; delete the file or run the command again")
      }
      guard !common.quiet else { return }
      Console.print(
        "\(dryRun ? "would remove" : "removed") \(purge.digests.count.counted("content")) of \(path) from the history")
      if text, files.isEmpty, !dryRun { Console.print("no file of the state folder contains the text") }
    }
  }
}
