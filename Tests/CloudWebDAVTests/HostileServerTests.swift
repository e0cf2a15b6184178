import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

/// A server that attacks: time and memory stay bounded, and nothing outside the store is touched.
@Suite("Hostile WebDAV servers")
struct HostileServerTests {
  /// Serialized, because the memory is that of the whole process.
  @Test(
    "a server cannot exhaust memory or keep a pass busy", .serialized,
    arguments: ["bomb", "deep", "endless-body", "endless-head", "no-xml", "twice", "stranger"])
  func exhaustion(how: String) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil(how, times: 1_000)
    let before = try peakMemory()
    await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
    // A listing may have 32 MiB, which must not be held in memory several times.
    #expect(try peakMemory() - before < 400 << 20)
  }

  @Test("a server cannot give names that lead out of the folder")
  func climbing() async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil("climbing", times: 1_000)
    let listing = try await storage.list(since: Known())
    #expect(listing.entries.map(\.path.description).filter { $0.contains("..") || $0.hasPrefix("/") } == [])
    #expect(listing.entries.allSatisfy { $0.path.parts.count == 1 })
  }

  @Test("a server that gives every version the same tag causes no lost edit")
  func sameTags() async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let place = try server.folder()
    try await proxy.spoil("same-tags", times: 1_000_000)
    let devices = try ["one", "two"].map { try server.device($0, at: proxy.url(place.url)) }
    try await devices[0].write("line 1\n", to: "a.org")
    for device in devices { try await device.expectHealthyRun("first") }
    try await devices[0].write("line 1\nline 2\n", to: "a.org")
    try await devices[1].write("line 1\nline 3\n", to: "a.org")
    for device in devices + devices { try await device.expectHealthyRun("second") }
    for device in devices { #expect(try await device.texts() == ["a.org": "line 1\nline 2\nline 3\n"]) }
  }

  @Test("a redirect to another host does not receive the password", arguments: ["302", "301-https"])
  func redirects(how: String) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil(how, times: 1_000)
    await #expect { try await storage.list(since: Known()) } throws: { error in
      let message = (error as? SyncError)?.message ?? ""
      return message.contains("redirects to") && !message.contains(server.password)
    }
  }

  private func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) << 10
  }
}
