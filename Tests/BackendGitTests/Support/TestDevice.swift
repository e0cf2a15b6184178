import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendGit

/// A device with a store and an archive in memory, and a remote that is a real repository. Its cache is removed with it.
final class TestDevice: Sendable {
  let name: String
  let store: MemoryReplica
  let archive = MemoryArchive()
  let settings: Git.Settings
  let merger: any ContentMerger
  private let cache: String

  init(
    _ name: String, on repo: Repo, merger: any ContentMerger = LineMerger(),
    _ change: (inout Git.Settings) -> Void = { _ in }
  ) throws {
    self.name = name
    self.merger = merger
    store = MemoryReplica(address: "store of \(name)", identity: "disk of \(name)")
    var settings = try repo.server.settings(repo.address)
    change(&settings)
    self.settings = settings
    cache = NSTemporaryDirectory() + "cache-\(UUID().uuidString)"
  }

  deinit { try? FileManager.default.removeItem(atPath: cache) }

  var mirrorPath: String { cache + "/mirror.git" }

  func replica(isReadOnly: Bool = false, _ change: (inout Git.Settings) -> Void = { _ in }) async throws -> GitReplica {
    var settings = settings
    change(&settings)
    let parts = RemoteParts(
      name: "test", device: Device(id: name, name: name), runtime: .real, contents: archive,
      journal: archive.journal(of: "test"), cache: CacheFolder(path: cache, isReadOnly: isReadOnly))
    let context = PluginContext(
      table: "test", environment: SettingsEnvironment(folder: "/", variables: plainVariables))
    return try #require(try await Git(settings, context).open(parts) as? GitReplica)
  }

  /// Runs like `syncd --once`.
  func sync(isDryRun: Bool = false, _ change: (inout Git.Settings) -> Void = { _ in }) async throws -> PassReport {
    var options = PassOptions()
    options.isDryRun = isDryRun
    let pass = PassParts(
      name: "test", local: store, remote: try await replica(isReadOnly: isDryRun, change), archive: archive,
      merger: merger, device: Device(id: name, name: name), options: options)
    return await SyncRun([pass]).run()[0]
  }

  /// Runs, and requires success.
  func expectHealthyRun(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let report = try await sync()
    #expect(
      [.synced, .conflicts].contains(report.result),
      "\(comment), \(name): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })",
      sourceLocation: sourceLocation)
  }

  func write(_ text: String, to path: String) async throws {
    await store.put(Content(Array(text.utf8)), at: try SyncPath(path).orThrow("\(path) is not a path"))
  }

  func remove(_ path: String) async throws { await store.take(try SyncPath(path).orThrow("\(path) is not a path")) }

  /// The texts of all files, by name.
  func texts() async throws -> [String: String] {
    var texts: [String: String] = [:]
    for (path, content) in await store.contents {
      texts[path.description] = String(decoding: try await content.bytes(), as: UTF8.self)
    }
    return texts
  }
}
