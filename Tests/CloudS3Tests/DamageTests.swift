import CurlHTTP
import Foundation
import HTTPStorage
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

/// Servers that store the part of an upload that has arrived, with the metadata of the whole.
@Suite("Parts of uploads in S3")
struct DamageTests {
  private let whole = "* one\n* two\n* three\n"

  /// Stores an object whose metadata declare `whole`.
  private func put(_ text: String, in storage: S3Storage) async throws {
    var call = Call.put(content(text), at: storage.service.bucket.key(of: try path("a.org")), if: nil)
    call.headers.append(HTTPHeader(Header.digest, content(whole).digest.description))
    let outcome = try await storage.service.change(call)
    guard outcome.isGood else { throw TestFailure("\(outcome)") }
  }

  private func text(in storage: S3Storage) async throws -> String? {
    let key = storage.service.bucket.key(of: try path("a.org"))
    guard case .found(_, let body) = try await storage.service.small(key, limit: 1_000) else { return nil }
    return String(decoding: body, as: UTF8.self)
  }

  private func storage(_ server: S3Server, knowing contents: MemoryContents = MemoryContents()) async throws
    -> S3Storage
  {
    let journal = TestJournal()
    journal.write(["s3.traits": try await server.probed()])
    return try await server.storage(prefix: UUID().uuidString, journal: journal, contents: contents)
  }

  @Test(
    "an object with another content than its metadata say is not a version", arguments: ["* one\n* t", "", "* else\n"])
  func reading(found: String) async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let storage = try await storage(server)
    try await put(found, in: storage)
    guard case .failed(let error) = try await storage.read(file: path("a.org"), into: MemorySink(limit: 1_000)) else {
      throw TestFailure("a damaged object was read")
    }
    #expect(error.code == .suspect && error.found == content(found).digest)
    // Without the whole content nothing is changed.
    try await storage.recover()
    #expect(try await text(in: storage) == found)
  }

  @Test("a part is replaced by the whole content, and nothing else is")
  func writing() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let name = try path("a.org")
    for part in ["* one\n* t", ""] {
      let storage = try await storage(server)
      try await put(part, in: storage)
      guard case .refused = try await storage.write(content("* other\n"), to: name, if: .absent) else {
        throw TestFailure("a part was overwritten by another content")
      }
      _ = try await storage.write(content(whole), to: name, if: .absent).done()
      #expect(try await text(in: storage) == whole)
    }
    let storage = try await storage(server)
    try await put("* else\n", in: storage)
    guard case .failed(let error) = try await storage.write(content(whole), to: name, if: .absent) else {
      throw TestFailure("another version was overwritten")
    }
    #expect(error.code == .suspect)
    #expect(try await text(in: storage) == "* else\n")
  }

  @Test("the next pass of a device that has the content repairs a part that it has met")
  func repairing() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    for (found, repaired) in [("* one\n* t", whole), ("* else\n", "* else\n")] {
      let contents = MemoryContents()
      _ = try await contents.intake(keepingAtMost: .max).receive(Array(whole.utf8))
      let storage = try await storage(server, knowing: contents)
      try await put(found, in: storage)
      _ = try await storage.read(file: path("a.org"), into: MemorySink(limit: 1_000))
      try await storage.recover()
      #expect(try await text(in: storage) == repaired)
      #expect(try await storage.state.damaged().isEmpty == (repaired == whole))
    }
  }

  @Test("an upload that is cut arrives whole, once", arguments: ["cut_after", "reset_after", "truncate_after"])
  func cut(how: String) async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let proxy = try await FaultyProxy(to: server.endpoint)
    let prefix = UUID().uuidString
    let device = try await server.device(
      "one", prefix: prefix, at: "http://127.0.0.1:\(proxy.port)", traits: server.probed())
    let text = String(repeating: "* a line of a long file\n", count: 5_000)
    try await device.write(text, to: "a.org")
    try proxy.follow([["match": "^PUT /[^ ]*a\\.org", "dir": "up", how: 60_000, "times": 1]])
    for _ in 0..<3 { _ = await device.sync() }
    #expect(try proxy.counts().fired == [1])
    try await device.expectHealthyRun("after the cut")
    #expect(try await device.texts() == ["a.org": text])
    #expect(try await server.storage(prefix: prefix).text(of: "a.org") == text)
  }
}
