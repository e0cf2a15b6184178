import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd show`: prints a file as of a pass.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a previous version of a file. Default: the one that was last replaced.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var version: VersionOptions
  @Argument(help: "File in the store.", completion: .storeFiles)
  var path: StorePath

  func run() async throws {
    let configuration = try common.configuration(of: [path])
    let path = try path.path(in: configuration)
    try await Workspace.with(configuration, .readOnly) { workspace in
      let versions = FormerVersions(workspace: workspace)
      let content = try await versions.content(
        of: path, shownAfterPass: versions.number(of: version.at), version.digest)
      var reader = try content.reader()
      while let chunk = try await reader.next() { Console.print(bytes: chunk) }
    }
  }
}

/// The version of a file that a command applies to.
struct VersionOptions: ParsableArguments {
  @Option(
    help:
      "Number of a pass, as `syncd log` shows it, or a time, such as \"2026-11-20 08:00\", yesterday or 2h: the version after that pass, or at that time. Default: the version that was last replaced.",
    completion: .passes)
  var at: PassChoice?

  @Option(help: "Digest of a version, or its first digits, as `syncd log PATH` shows it.")
  var digest: String?

  func validate() throws {
    if at != nil, digest != nil { throw ValidationError("choose --at or --digest, not both") }
  }
}

/// Finds previous versions of files.
struct FormerVersions {
  let workspace: Workspace

  /// Returns the content of `path` after a pass; without a number the version that was replaced last or, if there is none, the
  /// version after the last pass.
  func content(of path: SyncPath, shownAfterPass number: Int?, _ digest: String?) async throws(SyncError) -> Content {
    guard number == nil, digest == nil, try await workspace.history.versions(of: path).isEmpty else {
      return try await content(of: path, afterPass: number, digest)
    }
    return try await content(of: path, afterPass: workspace.history.facts().lastPass)
  }

  /// Returns the content of `path` after a pass, or by its digest; without either the version that was replaced last.
  func content(of path: SyncPath, afterPass number: Int?, _ wanted: String? = nil) async throws(SyncError) -> Content {
    let digest =
      if let wanted { try await digest(wanted, of: path) } else { try await digest(of: path, afterPass: number) }
    return try await content(digest, of: path)
  }

  /// Returns the version of `path` with this digest.
  func content(_ digest: Digest, of path: SyncPath) async throws(SyncError) -> Content {
    if let content = try await workspace.archive.content(digest) { return content }
    guard let content = try await current(path, digest) else {
      throw SyncError(
        .notFound,
        "the version \(digest.short) of \(path) is no longer in the history; `history` in the settings sets how long versions are kept"
      )
    }
    return content
  }

  func digest(_ wanted: String, of path: SyncPath) async throws(SyncError) -> Digest {
    let history = workspace.history
    let replaced = try await history.versions(of: path)
    // Also what a pass or command has made of the file and nothing has replaced, which `syncd log` lists.
    var versions = try await FileVersion.all(of: path, in: workspace).compactMap(\.digest)
    versions += replaced.map(\.digest)
    versions += try await history.decisions(on: path).compactMap(\.agreement?.digest)
    for open in try await history.conflicts().map(\.conflict) where open.path == path {
      versions += [open.base, open.local, open.remote].compactMap(\.self)
    }
    guard let digest = versions.first(where: { $0.description.hasPrefix(wanted.lowercased()) }) else {
      throw SyncError(
        .notFound, "\(path) has no version \(wanted) in the history; `syncd log \(path)` lists its versions")
    }
    return digest
  }

  private func digest(of path: SyncPath, afterPass number: Int?) async throws(SyncError) -> Digest {
    guard let number else { return try await lastReplaced(path) }
    guard let digest = try await digest(following: path, afterPass: number) else {
      throw SyncError(.notFound, "\(path) did not exist after pass \(number)")
    }
    return digest
  }

  /// Returns the version of `path` that was last replaced.
  func lastReplaced(_ path: SyncPath) async throws(SyncError) -> Digest {
    if let version = try await workspace.wholeVersions(of: path).first { return version.digest }
    throw SyncError(.notFound, "\(path) has no previous version in the history; `syncd log \(path)` shows its passes")
  }

  /// Returns the version of `path` after a pass; nil if the file did not exist then.
  func digest(of path: SyncPath, afterPass number: Int) async throws(SyncError) -> Digest? {
    let last = try await workspace.history.facts().lastPass
    // A run that wrote nothing has reported the number that the next one gets.
    guard (0...last + 1).contains(number) else {
      throw SyncError(.notFound, "pass \(number) not found; the last pass is \(last)")
    }
    switch try await workspace.history.state(of: path, afterPass: number) {
    case .content(let digest): return digest
    case .absent: return nil
    case .unknown where try await workspace.history.versions(of: path).isEmpty:
      throw SyncError(.notFound, "the history has no record of \(path)")
    case .unknown:
      throw SyncError(
        .notFound, "the history has no record of \(path) at pass \(number); `syncd log \(path)` shows its passes")
    }
  }

  /// Returns the version of a file after a pass, also if it had another name then; nil if it did not exist.
  func digest(following path: SyncPath, afterPass number: Int) async throws(SyncError) -> Digest? {
    if let digest = try await digest(of: path, afterPass: number) { return digest }
    let versions = try await FileVersion.all(of: path, in: workspace)
    return versions.first { $0.pass <= number && $0.formerPath != nil && $0.action != nil }?.digest
  }

  /// Returns the digest of the version in the store; nil if the file does not exist.
  func present(_ path: SyncPath) async throws(SyncError) -> Digest? {
    switch try await workspace.stack.openStore().read(file: path, into: workspace.archive.intake(keepingAtMost: 0)) {
    case .read(let entry): return entry.digest
    case .absent: return nil
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// Returns the version in the store, if it still has this digest.
  private func current(_ path: SyncPath, _ digest: Digest) async throws(SyncError) -> Content? {
    let sink = MemorySink(limit: .max)
    guard let store = try? await workspace.stack.openStore() else { return nil }
    guard case .read(let entry) = try await store.read(file: path, into: sink), entry.digest == digest else {
      return nil
    }
    return Content(sink.bytes, digest: digest)
  }
}
