import ProgramTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import SyncDaemon

@Suite("A command that changes the store")
struct StoreEditTests {
  /// A store in memory. The test has the replica, too, and changes it like another program.
  struct MemoryStore: InternalStorage {
    static let id = "memory"
    static let summary = "Keeps files in memory."
    static let replicas: Mutex<[String: MemoryReplica]> = Mutex([:])

    struct Settings: PluginSettings {
      @Setting("The name of the replica.") var name = ""
    }

    let settings: Settings

    init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }
    func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica { Self.replica(settings.name) }

    static func replica(_ name: String) -> MemoryReplica {
      replicas.withLock { replicas in
        let replica = replicas[name] ?? MemoryReplica()
        replicas[name] = replica
        return replica
      }
    }
  }

  private let scratch = ScratchFolder()
  private let path = SyncPath("notes.org")!
  private var replica: MemoryReplica { MemoryStore.replica(scratch.path) }

  private func configuration() throws -> DaemonConfiguration {
    let text = """
      [syncd]
      state = "\(scratch.path)/state"
      [store]
      backend = "memory"
      name = "\(scratch.path)"
      """
    let file = SettingsFile(text.utf8, file: "s.toml", environment: SettingsEnvironment(folder: scratch.path))
    return try DaemonConfiguration(file, file: "s.toml", registry: try Registry([MemoryStore.self]))
  }

  private func content(_ text: String) -> Content { Content(Array(text.utf8)) }

  private func write(_ text: String?) async {
    if let text { await replica.put(content(text), at: path) } else { await replica.take(path) }
  }

  private func text() async throws -> String? {
    let sink = MemorySink(limit: .max)
    guard case .read = try await replica.read([path], into: sink)[0] else { return nil }
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test(
    "a file that another program changes after it was read is not overwritten, created or removed",
    arguments: [("one", "two"), ("one", nil), (nil, "two")] as [(String?, String?)], ["mine", nil] as [String?])
  func changed(texts: (before: String?, after: String?), mine: String?) async throws {
    await write(texts.before)
    try await Workspace.with(try configuration(), .exclusiveNow) { workspace in
      let edit = try await StoreEdit(workspace, as: "changed by a test")
      #expect(try await edit.current(path)?.digest == texts.before.map { content($0).digest })
      await write(texts.after)
      // Reading it again does not change what the command decided on.
      _ = try await edit.current(path)
      guard texts.after != mine else {
        #expect(try await edit.put(nil, at: path) == false)
        return
      }
      let error = await #expect(throws: SyncError.self) { try await edit.put(mine.map(content), at: path) }
      #expect(error?.code == .changedMeanwhile)
    }
    #expect(try await text() == texts.after)
  }

  @Test("a file that was not read, or that the command itself has changed, is replaced")
  func own() async throws {
    await write("one")
    try await Workspace.with(try configuration(), .exclusiveNow) { workspace in
      let edit = try await StoreEdit(workspace, as: "changed by a test")
      #expect(try await edit.put(content("two"), at: path))
      #expect(try await edit.current(path)?.digest == content("two").digest)
      #expect(try await edit.put(content("three"), at: path))
      #expect(try await edit.put(nil, at: path))
    }
    #expect(try await text() == nil)
  }
}
