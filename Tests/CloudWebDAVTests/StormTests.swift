import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Eight clients that edit one file at once", .serialized)
struct StormTests {
  private static let updates = isSoak ? 200 : 10

  @Test("no accepted text is lost", arguments: [TestServer.Kind.apache, .wsgidav])
  func storm(kind: TestServer.Kind) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let place = try server.folder()
    let path = try SyncPath("storm.org").orThrow("")
    let first = try server.storage(at: place.url)
    try await first.createRoot()
    _ = try await first.write(Content(Array("start\n".utf8)), to: path, if: .absent)
    let accepted = try await withThrowingTaskGroup(of: [String].self) { group in
      for client in 0..<8 {
        // Each has its own connections, and is independent of the others.
        let storage = try server.storage(at: place.url, device: "client\(client)")
        group.addTask { try await Self.update(path, on: storage, client) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let text = String(decoding: try await first.text(of: path) ?? [], as: UTF8.self)
    let live = Set(text.split(separator: "\n").map(String.init))
    #expect(Set(accepted).subtracting(live) == [], "accepted and lost")
    #expect(!accepted.isEmpty)
    print(
      "storm on \(kind): \(accepted.count) of \(8 * Self.updates) updates were accepted, \(live.count - 1) lines are live"
    )
  }

  /// Adds one line after the other; each accepted version is based on all that were accepted before.
  private static func update(_ path: SyncPath, on storage: WebDAVStorage, _ client: Int) async throws -> [String] {
    var accepted: [String] = []
    for number in 0..<updates {
      let sink = MemorySink(limit: 1 << 20)
      guard case .read(let entry) = try await storage.read(file: path, into: sink) else { continue }
      let line = "client \(client) update \(number)"
      let text = Content(sink.bytes + Array((line + "\n").utf8))
      let change = Change(
        path: path, content: text, condition: .unchanged(entry.revision), replaced: Content(sink.bytes))
      if case .done = try await storage.commit(change: change) { accepted.append(line) }
    }
    return accepted
  }
}
