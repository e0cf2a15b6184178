import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd restore`: restores previous versions of files.
struct RestoreCommand: AsyncParsableCommand, DryRunning {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore previous versions of files in the store.",
    discussion: """
      Folders and patterns need --at, and get back every file that they had then. Files that were added later stay. The next \
      pass sends the result to the remotes, and `syncd undo last` undoes the command.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var plan: DryRunOption
  @OptionGroup var version: VersionOptions
  @Argument(
    help: ArgumentHelp("Files and folders in the store, or patterns in git's syntax.", valueName: "path"),
    completion: .storeFiles)
  var paths: [StorePath]

  func validate() throws {
    guard version.digest == nil || paths.count == 1 else { throw ValidationError("--digest restores one file") }
  }

  func run() async throws {
    let configuration = try common.configuration(of: paths)
    let restored = try await Workspace.with(configuration, plan.dryRun ? .readOnly : .exclusive) { workspace in
      let known = try await workspace.history.paths()
      let edit =
        plan.dryRun ? nil : try await StoreEdit(workspace, as: "restored with `syncd restore`")
      var files = RestoredFiles()
      do {
        for path in paths {
          try await restore(path, known, configuration, FormerVersions(workspace: workspace), edit, &files)
        }
      } catch {
        showErrors(files)
        // Standard output has only one JSON document: that of the error.
        if !common.json { showChanges(files) }
        throw error
      }
      return files
    }
    // One error of one file is the command's own.
    if restored.isOnlyError, let error = restored.errors.first { throw error }
    showErrors(restored)
    show(restored)
    if !restored.errors.isEmpty { throw ExitCode(PassResult.failed.exitStatus) }
  }

  // MARK: Restoring

  private func restore(
    _ name: StorePath, _ known: Set<SyncPath>, _ configuration: DaemonConfiguration, _ versions: FormerVersions,
    _ edit: StoreEdit?, _ files: inout RestoredFiles
  ) async throws {
    let path = try? name.path(in: configuration)
    let isFile = path.map(known.contains) ?? false
    let matching = isFile ? [] : known.filter { name.matches($0, path) }.sorted()
    guard matching.isEmpty else { return try await restore(matching, versions, edit, &files) }
    let file = try name.path(in: configuration)
    do throws(SyncError) {
      let content = try await versions.content(
        of: file, afterPass: versions.number(of: version.at), version.digest)
      try await put(content, at: file, versions, edit, &files)
    } catch { try files.add(error) }
  }

  /// Restores several files. An error that concerns one of them does not stop the others.
  private func restore(
    _ matching: [SyncPath], _ versions: FormerVersions, _ edit: StoreEdit?, _ files: inout RestoredFiles
  ) async throws {
    guard let pass = try await versions.number(of: version.at) else {
      throw ValidationError("use --at with folders and patterns: the number of a pass, or a time")
    }
    for path in matching {
      do throws(SyncError) {
        if let digest = try await versions.digest(of: path, afterPass: pass) {
          try await put(try await versions.content(digest, of: path), at: path, versions, edit, &files)
        } else if try await versions.present(path) != nil {
          files.later.append(path)
        }
      } catch { try files.add(error) }
    }
  }

  /// Restores a file; without an edit, only finds out what would be done.
  private func put(
    _ content: Content, at path: SyncPath, _ versions: FormerVersions, _ edit: StoreEdit?, _ files: inout RestoredFiles
  ) async throws(SyncError) {
    let isChanged =
      if let edit { try await edit.put(content, at: path) } else {
        try await versions.present(path) != content.digest
      }
    if isChanged { files.restored.append(path) } else { files.unchanged.append(path) }
  }

  // MARK: Output

  private func showErrors(_ files: RestoredFiles) {
    for error in files.errors { Console.error("syncd: \(error.explanation)") }
  }

  private func showChanges(_ files: RestoredFiles) {
    guard !common.quiet else { return }
    for path in files.restored {
      Console.print(plan.dryRun ? "would restore \(path)" : "restored \(path); the next pass sends it to the remotes")
    }
    for path in files.later { Console.print("\(path) was added later and stays") }
  }

  private func show(_ files: RestoredFiles) {
    if common.json {
      return Console.print(
        json: [
          "version": 1, "dry-run": .boolean(plan.dryRun), "path": .string(files.all.first?.description ?? ""),
          "paths": json(files.restored[...]), "unchanged": json(files.unchanged[...]), "later": json(files.later[...]),
        ])
    }
    showChanges(files)
    guard !common.quiet else { return }
    if files.all == files.unchanged, files.all.count == 1 {
      Console.print(
        "\(files.all[0]) has this content already. If a remote has lost it, `syncd status` shows how to put it back there"
      )
    } else if files.restored.isEmpty, files.errors.isEmpty {
      Console.print("all files have this content already")
    }
  }

  private func json(_ paths: ArraySlice<SyncPath>) -> JSON { .array(paths.map { .string($0.description) }) }
}

/// The files that `syncd restore` was asked for.
private struct RestoredFiles: Sendable {
  var restored: [SyncPath] = []
  var unchanged: [SyncPath] = []
  /// Files that did not exist then and exist now.
  var later: [SyncPath] = []
  var errors: [SyncError] = []

  var all: [SyncPath] { restored + unchanged + later }
  var isOnlyError: Bool { all.isEmpty && errors.count == 1 }

  /// Collects an error that concerns one file; throws any other one.
  mutating func add(_ error: SyncError) throws(SyncError) {
    guard error.reach == .path else { throw error }
    errors.append(error)
  }
}
