import CurlHTTP
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

/// A server that attacks: time and memory stay bounded, nothing counts as deleted, and nothing outside the store is touched.
@Suite("Hostile S3 servers")
struct HostileServerTests {
  private static let server = Task {
    try await ServerProcess([
      "python3", URL(filePath: #filePath).appending(path: "../Support/hostile-server.py").standardizedFileURL.path,
    ])
  }

  private func storage(_ bucket: String, runtime: Runtime = .impatient) async throws -> S3Storage {
    var settings = S3.Settings()
    (settings.bucket, settings.prefix) = (bucket, "p")
    settings.endpoint = URLText("http://127.0.0.1:\(try await Self.server.value.lines[0])")
    (settings.accessKey, settings.secretKey) = (Secret("AKIDEXAMPLE"), Secret("canary"))
    settings.http.proxy = "none"
    let context = PluginContext(table: "remotes.test.s3", environment: SettingsEnvironment(folder: "/"))
    let parts = RemoteParts(
      name: "test", device: Device(id: "d", name: "d"), runtime: runtime, contents: MemoryContents(),
      journal: TestJournal())
    return try #require(try await S3(settings, context).open(parts) as? S3Storage)
  }

  @Test(
    "an answer that is not a listing of this bucket is an error, in bounded time and memory",
    arguments: [
      "bomb", "deep", "endless", "same-token", "no-token", "huge-page", "stranger", "other-bucket", "no-tag",
      "negative",
      "cut-xml", "html", "error-in-200", "redirect",
    ])
  func listing(how: String) async throws {
    let storage = try await storage(how)
    let error = await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
    #expect(error?.code == .unavailable || error?.code == .unexpected, "\(how): \(String(describing: error))")
    #expect(error?.message.contains("canary") == false)
  }

  @Test("keys cannot lead out of the store")
  func climbing() async throws {
    let listing = try await storage("climbing").list(since: Known())
    #expect(listing.entries.map(\.path.description) == ["good.org"])
  }

  @Test("an object in an archive class is unread, not deleted")
  func archived() async throws {
    let listing = try await storage("archived").list(since: Known())
    #expect(listing.entries.map(\.path.description) == ["good.org"])
    #expect(listing.unread.map(\.path.description) == ["cold.org"])
    #expect(listing.isUnknown(try path("cold.org")))
  }

  @Test("a clock that is 20 minutes off is corrected by the server's, once")
  func clock() async throws {
    let storage = try await storage("skew")
    #expect(try await storage.list(since: Known()).count == 1)
    // The answer may wait a while on a busy machine.
    #expect((-1_500 ... -1_190).contains(storage.service.clockOffset))
    let error = await #expect(throws: SyncError.self) {
      try await self.storage("always-skew").list(since: Known())
    }
    #expect(
      error?.code == .unavailable && error?.message.contains("20 minutes") == true, "\(String(describing: error))")
  }

  @Test("the region that the server names is used")
  func region() async throws {
    let storage = try await storage("region")
    #expect(try await storage.list(since: Known()).count == 1)
    #expect(storage.service.region == "eu-central-1")
  }

  @Test("a file that arrives shorter than announced is postponed, and one without a tag is an error")
  func reading() async throws {
    guard case .postponed = try await storage("short").read(file: path("a.org"), into: MemorySink(limit: 100)) else {
      Issue.record("a short content was accepted")
      return
    }
    guard case .failed = try await storage("no-etag").read(file: path("a.org"), into: MemorySink(limit: 100)) else {
      Issue.record("a content without a tag was accepted")
      return
    }
  }

  @Test("a file that HEAD does not find and a listing shows is not absent")
  func presence() async throws {
    let error = await #expect(throws: SyncError.self) {
      _ = try await storage("empty-head").files.lookUp(path("a.org"))
    }
    #expect(error?.code == .unavailable)
  }

  @Test("nothing is written to a server whose probe gets no useful answer")
  func probe() async throws {
    let error = await #expect(throws: SyncError.self) {
      try await storage("broken").write(content("x"), to: path("x.org"), if: .absent)
    }
    #expect(error?.code == .unavailable, "\(String(describing: error))")
  }
}

extension Runtime {
  /// The real clock and random numbers, without pauses.
  static let impatient = Runtime(now: Runtime.real.now, random: Runtime.real.random, sleep: { _ in })
}
