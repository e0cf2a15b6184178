import ArgumentParser
import SyncKit

/// `syncd show`: a file as it was after a pass.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a file as it was after a pass, by default before it was last replaced.")

  @OptionGroup var common: CommonOptions
  @Option(help: "The number of the pass, as `syncd log` shows it.") var at: Int?
  @Argument(help: "The file.") var path: StorePath

  func run() async throws {
    let configuration = try common.configuration()
    let path = try path.path(in: configuration)
    try await Workspace.with(configuration, .readOnly) { workspace in
      let content = try await FormerVersions(workspace: workspace).content(of: path, afterPass: at)
      var reader = try content.reader()
      while let chunk = try await reader.next() { Console.print(bytes: chunk) }
    }
  }
}

/// Finds former versions of files.
struct FormerVersions {
  let workspace: Workspace

  /// The content of `path` after a pass; without a number the version that was displaced last.
  func content(of path: SyncPath, afterPass number: Int?) async throws(SyncError) -> Content {
    let digest = try await digest(of: path, afterPass: number)
    if let content = try await workspace.archive.content(digest) { return content }
    guard let content = try await current(path, digest) else {
      throw SyncError(
        .notFound, "the version \(digest.short) of \(path) is no longer kept; `history` in the settings says how long")
    }
    return content
  }

  private func digest(of path: SyncPath, afterPass number: Int?) async throws(SyncError) -> Digest {
    guard let number else {
      if let version = try await workspace.history.versions(of: path).first { return version.digest }
      throw SyncError(.notFound, "no former version of \(path) is kept; `syncd log \(path)` shows what is known of it")
    }
    switch try await workspace.history.state(of: path, afterPass: number) {
    case .content(let digest): return digest
    case .absent: throw SyncError(.notFound, "\(path) was not there after pass \(number)")
    case .unknown:
      throw SyncError(.notFound, "nothing is known of \(path) at pass \(number); `syncd log \(path)` shows its passes")
    }
  }

  /// The version in the store, if it is the wanted one still.
  private func current(_ path: SyncPath, _ digest: Digest) async throws(SyncError) -> Content? {
    let sink = MemorySink(limit: .max)
    guard let store = try? await workspace.stack.openStore() else { return nil }
    guard case .read(let entry) = try await store.read([path], into: sink).first, entry.digest == digest else {
      return nil
    }
    return Content(sink.bytes, digest: digest)
  }
}
