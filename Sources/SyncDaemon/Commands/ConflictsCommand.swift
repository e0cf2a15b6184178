import ArgumentParser
import SyncKit

/// `syncd conflicts`: what is open.
struct ConflictsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "List the conflicts that are open.")

  @OptionGroup var common: CommonOptions
  @Flag(
    name: .shortAndLong,
    help: "Show what either side changed: in Org files entry by entry, in other text line by line.")
  var patch = false

  func run() async throws {
    try await Workspace.with(common.configuration(), .readOnly) { workspace in
      let conflicts = try await workspace.history.conflicts()
      if common.json { return Console.print(json: ["version": 1, "conflicts": .array(conflicts.map(json))]) }
      for item in conflicts {
        let place = item.conflict.copy.map { "the other version is in \($0)" } ?? "both versions stand in the file"
        Console.print("\(item.conflict.path) (\(item.remote), since \(CivilTime(item.since))): \(place)")
        guard patch else { continue }
        for line in try await FormerVersions(workspace: workspace).changes(in: item) { Console.print("  \(line)") }
      }
      if conflicts.isEmpty, !common.quiet { Console.print("no conflicts") }
    }
  }

  private func json(_ item: WaitingConflict) -> JSON {
    func text(_ digest: Digest?) -> JSON { digest.map { .string($0.description) } ?? .null }
    return [
      "path": .string(item.conflict.path.description), "remote": .string(item.remote), "pass": .integer(item.pass),
      "since": .string("\(CivilTime(item.since))"),
      "copy": item.conflict.copy.map { .string($0.description) } ?? .null, "base": text(item.conflict.base),
      "local": text(item.conflict.local), "remote-version": text(item.conflict.remote),
    ]
  }
}

/// `syncd resolve`: closes one conflict.
struct ResolveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve", abstract: "Close a conflict: with your version, with theirs, or with a merged file.")

  @OptionGroup var common: CommonOptions
  @Flag(help: "Keep the store's version.") var ours = false
  @Flag(help: "Keep the remote's version.") var theirs = false
  @Option(help: "Take this file's content.", completion: .file()) var merged: String?
  @Argument(help: "The file that the conflict is about.") var path: StorePath

  func validate() throws {
    guard [ours, theirs, merged != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("give one of --ours, --theirs and --merged FILE")
    }
  }

  func run() async throws {
    let configuration = try common.configuration()
    let path = try path.path(in: configuration)
    try await Workspace.with(configuration, .exclusive) { workspace in
      guard let conflict = try await workspace.history.conflicts().first(where: { $0.conflict.path == path })?.conflict
      else { throw SyncError(.notFound, "there is no open conflict in \(path); `syncd conflicts` lists them") }
      let content = try await resolution(of: conflict, in: workspace)
      let edit = try await StoreEdit(workspace)
      try await edit.put(content, at: path)
      if let copy = conflict.copy { try await edit.put(nil, at: copy) }
    }
    if !common.quiet { Console.print("resolved \(path); the next sync carries it to the remotes") }
  }

  private func resolution(of conflict: OpenConflict, in workspace: Workspace) async throws(SyncError) -> Content? {
    if let merged { return Content(try LocalFile.read(merged)) }
    guard var digest = ours ? conflict.local : conflict.remote else { return nil }
    if digest == conflict.marked {
      // The pass that met the conflict was interrupted, but it had kept both versions before it touched anything.
      let kept = try await workspace.history.versions(of: conflict.path)
      guard let version = kept.first(where: { $0.side == (ours ? .local : .remote) }) else {
        throw SyncError(.notFound, "that version of \(conflict.path) is no longer kept; resolve it with --merged FILE")
      }
      digest = version.digest
    }
    if let content = try await workspace.archive.content(digest) { return content }
    throw SyncError(.notFound, "that version of \(conflict.path) is no longer kept; resolve it with --merged FILE")
  }
}
