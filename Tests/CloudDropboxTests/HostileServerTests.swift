import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

/// Servers that answer as Dropbox does, and misbehave in one way.
@Suite("Hostile Dropbox servers") struct HostileServerTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Support/hostile-dropbox.py").path

  private struct Host {
    let scratch = ScratchFolder()
    let server: ServerProcess
    let storage: any Storage

    /// Runs `body` with a server that misbehaves in this way.
    static func run(_ how: String, _ body: (Host) async throws -> Void) async throws {
      let host = try await Host(how)
      try await body(host)
      withExtendedLifetime(host) {}
    }

    private init(_ how: String) async throws {
      server = try await ServerProcess(["python3", HostileServerTests.script, how, scratch.path + "/requests"])
      storage = try await TestDropbox.shared.value.storage("/top", by: server.lines[0])
    }

    var requests: String { (try? String(contentsOfFile: scratch.path + "/requests", encoding: .utf8)) ?? "" }
  }

  private let good = SyncPath("good.org")!

  @Test("a listing that does not end is an error", arguments: ["same-cursor", "empty-pages"])
  func endless(how: String) async throws {
    try await Host.run(how) { host in
      let error = await #expect(throws: SyncError.self) { try await host.storage.list(since: Known()) }
      #expect(error?.message.contains("does not end") == true, "\(String(describing: error))")
    }
  }

  @Test(
    "a listing that is nested too deep, or has a number that is too large, is an error",
    arguments: ["deep", "huge-size"])
  func unreadable(how: String) async throws {
    try await Host.run(how) { host in
      let error = await #expect(throws: SyncError.self) { try await host.storage.list(since: Known()) }
      #expect(error?.code == .unavailable, "\(String(describing: error))")
    }
  }

  @Test("a listing with millions of unknown values is read")
  func manyValues() async throws {
    try await Host.run("many-values") { host in
      let listing = try await host.storage.list(since: Known())
      #expect(listing.entries.isEmpty)
    }
  }

  @Test("no path leads out of the folder, and sizes are not believed", arguments: ["climbing", "sizes", "twice"])
  func listing(how: String) async throws {
    try await Host.run(how) { host in
      let listing = try await host.storage.list(since: Known())
      let names = listing.entries.map(\.path.description)
      let parts = names.flatMap { $0.split(separator: "/", omittingEmptySubsequences: false) }
      #expect(names.contains("good.org") && Set(names).count == names.count, "\(names)")
      #expect(!parts.contains { ["", ".", ".."].contains($0) || $0.contains("\0") }, "\(names)")
      #expect(listing.entries.allSatisfy { $0.size >= 0 }, "\(listing.entries)")
    }
  }

  @Test("a file that is shorter, longer or endless is not accepted", arguments: ["shorter", "longer", "endless-file"])
  func contents(how: String) async throws {
    try await Host.run(how) { host in
      _ = try await host.storage.list(since: Known())
      do throws(SyncError) {
        let result = try await host.storage.read(file: good, into: MemorySink(limit: 1_000))
        if case .read = result { Issue.record("\(how): \(result)") }
      } catch { #expect(error.code != .unexpected, "\(error)") }
    }
  }

  @Test("a token cannot add a header line, and its lifetime cannot crash", arguments: ["token", "forever", "never"])
  func token(how: String) async throws {
    try await Host.run(how) { host in
      _ = try? await host.storage.list(since: Known())
      #expect(host.requests.contains("/oauth2/token"))
      #expect(!host.requests.lowercased().contains("x-injected:"), "\(host.requests)")
    }
  }
}
