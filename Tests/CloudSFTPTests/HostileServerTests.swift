import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudSFTP

@Suite("Hostile sftp servers")
struct HostileServerTests {
  private func storage(
    _ how: String, _ change: (inout SFTP.Settings) -> Void = { _ in }
  ) async throws -> SFTPStorage {
    let script = URL(filePath: #filePath).appending(path: "../Support/hostile-sftp.py").standardizedFileURL.path
    return try await Folder(servedBy: "python3 \(script) \(how)").storage {
      $0.timeout = .seconds(["stalls", "silent", "trickle"].contains(how) ? 2 : 30)
      change(&$0)
    }
  }

  @Test(
    "a listing that makes no sense, does not end or does not come is an error, and proves nothing",
    arguments: [
      ("endless-empty", SyncError.Code.unexpected), ("endless-names", .unavailable), ("long-packet", .unexpected),
      ("no-length", .unexpected), ("long-string", .unexpected), ("other-request", .unexpected),
      ("other-kind", .unexpected), ("unknown-kind", .unexpected), ("many-names", .unexpected), ("stalls", .unavailable),
      ("silent", .unavailable), ("old", .invalidSettings), ("noise", .invalidSettings),
      ("broken-listing", .unavailable), ("vanishing", .unavailable),
    ])
  func listing(how: String, code: SyncError.Code) async throws {
    let storage = try await storage(how) { $0.maxFiles = 5_000 }
    let error = await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
    #expect(error?.code == code, "\(how): \(String(describing: error))")
  }

  /// gesftpserver looks up each name, and ends the listing with the error of a file that another client has removed meanwhile.
  @Test("a listing that ends because a file disappeared is made again")
  func vanished() async throws {
    let listing = try await storage("vanished-once").list(since: Known())
    #expect(listing.entries.map(\.path.description) == ["good.org"] && listing.isComplete && listing.unread.isEmpty)
  }

  @Test("an answer that arrives byte by byte ends")
  func trickle() async throws {
    let storage = try await storage("trickle")
    let error = await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
    #expect(error?.code == .unavailable || error?.code == .unexpected, "\(String(describing: error))")
  }

  @Test("names cannot lead out of the folder, and their listing proves no absence")
  func climbing() async throws {
    let listing = try await storage("climbing").list(since: Known())
    #expect(listing.entries.map(\.path.description) == ["good.org"])
    #expect(!listing.isComplete)
  }

  @Test("a name that is listed twice proves nothing")
  func twice() async throws {
    let listing = try await storage("twice").list(since: Known())
    #expect(listing.count == 0 && !listing.isComplete)
  }

  @Test("a file without a size, a time or a type is unread")
  func bare() async throws {
    let listing = try await storage("bare").list(since: Known())
    #expect(listing.entries.map(\.path.description) == ["good.org"])
    #expect(listing.unread.map(\.path.description) == ["bare.org"])
  }

  @Test("a time in the future or none is never firm")
  func times() async throws {
    let storage = try await storage("future")
    try await storage.recover()
    let listing = try await storage.list(since: Known())
    #expect(listing.count == 2 && listing.entries.allSatisfy { !$0.isFirm })
  }

  @Test("a file that is shorter, longer or endless is postponed", arguments: ["shorter", "longer", "endless-file"])
  func sizes(how: String) async throws {
    let result = try await storage(how).read(file: path("good.org"), into: MemorySink(limit: 1_000))
    guard case .postponed = result else { throw TestFailure("\(how): \(result)") }
    guard case .read = try await storage("honest").read(file: path("good.org"), into: MemorySink(limit: 1_000)) else {
      throw TestFailure("an honest server was not read")
    }
  }

  @Test("nothing is written to a server that confirms everything and does nothing")
  func liar() async throws {
    let storage = try await storage("liar")
    let error = await #expect(throws: SyncError.self) {
      try await storage.write(content("x"), to: path("x.org"), if: .absent)
    }
    #expect(error?.code == .invalidSettings, "\(String(describing: error))")
    #expect(try await storage.capabilities().replacement == .unsafe)
  }

  @Test("a pass that is cancelled ends although the server is silent")
  func cancelled() async throws {
    let storage = try await storage("stalls") { $0.timeout = .seconds(600) }
    let (started, signal) = AsyncStream<Void>.makeStream()
    let task = Task { () -> SyncError? in
      signal.finish()
      do throws(SyncError) { _ = try await storage.list(since: Known()) } catch { return error }
      return nil
    }
    for await _ in started {}
    task.cancel()
    #expect(await task.value?.code == .cancelled)
  }
}
