import BoxEmulator
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudBox

@Suite("Listings of Box")
struct ListingTests {
  private func started(
    journal: any Journal = TestJournal(), runtime: Runtime = .hurried, change: (inout Box.Settings) -> Void = { _ in }
  ) async throws -> (TestBox, any Storage) {
    let box = try await TestBox()
    let storage = try await box.storage("/top", journal: journal, runtime: runtime, change: change)
    try await storage.createRoot()
    return (box, storage)
  }

  @Test("short pages and deep folders are listed whole")
  func pages() async throws {
    let (box, storage) = try await started()
    try await box.emulator.control(#"{"op": "page_size", "n": 2}"#)
    var expected: [String] = []
    for number in 0..<7 {
      for path in ["\(number).org", "d/\(number).org", "d/e/f/\(number).org"] {
        try await box.emulator.put("x\n", at: "/top/\(path)")
        expected.append(path)
      }
    }
    #expect(try await storage.names().sorted() == expected.sorted())
  }

  @Test("after the first listing only changed folders are listed, also by the next process")
  func increments() async throws {
    let journal = TestJournal()
    let (box, storage) = try await started(journal: journal)
    for folder in ["a", "b", "c/d", "e/f/g"] { try await box.emulator.put("x\n", at: "/top/\(folder)/x.org") }
    #expect(try await storage.names().count == 4)
    try await box.emulator.control(#"{"op": "recount"}"#)
    try await box.emulator.put("y\n", at: "/top/c/d/y.org")
    try await box.emulator.remove("/top/a/x.org")
    let next = try await box.storage("/top", journal: journal)
    #expect(try await next.names().sorted() == ["b/x.org", "c/d/x.org", "c/d/y.org", "e/f/g/x.org"])
    #expect(await box.emulator.calls()["GET /folders/:id/items"] == 2)
  }

  @Test("renamed, moved, restored and removed folders are listed with everything in them")
  func folders() async throws {
    let (box, storage) = try await started()
    try await box.emulator.put("x\n", at: "/top/a/b/x.org")
    try await box.emulator.put("y\n", at: "/top/c/y.org")
    #expect(try await storage.names().sorted() == ["a/b/x.org", "c/y.org"])
    try await box.emulator.move("/top/a/b", to: "/top/c/B")
    #expect(try await storage.names().sorted() == ["c/B/x.org", "c/y.org"])
    try await box.emulator.move("/top/c", to: "/elsewhere")
    #expect(try await storage.names() == [])
    try await box.emulator.put("z\n", at: "/elsewhere/z.org")
    #expect(try await storage.names() == [])
    try await box.emulator.move("/elsewhere", to: "/top/a/back")
    #expect(try await storage.names().sorted() == ["a/back/B/x.org", "a/back/y.org", "a/back/z.org"])
    try await box.emulator.remove("/top/a")
    #expect(try await storage.names() == [])
  }

  @Test("events that are doubled, shuffled, unknown or without an item lead to the same listing")
  func disorder() async throws {
    let (box, storage) = try await started()
    try await box.emulator.put("x\n", at: "/top/a/x.org")
    _ = try await storage.names()
    try await box.emulator.control(#"{"op": "events", "duplicate": true, "shuffle": true}"#)
    try await box.emulator.move("/top/a", to: "/top/b")
    try await box.emulator.put("y\n", at: "/top/b/c/y.org")
    try await box.emulator.remove("/top/b/x.org")
    #expect(try await storage.names() == ["b/c/y.org"])
    for type in ["ITEM_UPLOAD", "SOMETHING_NEW"] {
      try await box.emulator.control(#"{"op": "events", "lose": true}"#)
      try await box.emulator.put("z\n", at: "/top/\(type).org")
      try await box.emulator.control(#"{"op": "events"}"#)
      try await box.emulator.control(#"{"op": "event", "type": "\#(type)"}"#)
      #expect(try await storage.names().contains("\(type).org"))
    }
  }

  @Test("a change whose event is lost is found after a day, and after 5 minutes if an own event is lost")
  func lostEvents() async throws {
    let clock = Mutex(Runtime.real.now().seconds)
    let runtime = Runtime(
      now: { Timestamp(seconds: clock.withLock { $0 }) }, random: Runtime.real.random, sleep: Runtime.hurried.sleep)
    let (box, storage) = try await started(runtime: runtime)
    _ = try await storage.names()
    try await box.emulator.control(#"{"op": "events", "lose": true}"#)
    try await box.emulator.put("x\n", at: "/top/lost.org")
    #expect(try await storage.names() == [])
    clock.withLock { $0 += 86_500 }
    #expect(try await storage.names() == ["lost.org"])
    try await box.emulator.put("y\n", at: "/top/other.org")
    #expect(try await storage.put("ours\n", at: "ours.org").isDone)
    #expect(try await storage.names().sorted() == ["lost.org", "ours.org"])
    clock.withLock { $0 += 400 }
    #expect(try await storage.names().sorted() == ["lost.org", "other.org", "ours.org"])
  }

  @Test("a position that Box does not keep, and one of another account, lead to a listing of everything")
  func oldPosition() async throws {
    let journal = TestJournal()
    let (box, storage) = try await started(journal: journal)
    try await box.emulator.put("x\n", at: "/top/x.org")
    _ = try await storage.names()
    try await box.emulator.put("y\n", at: "/top/y.org")
    try await box.emulator.control(
      #"{"op": "fail", "route": "GET /events", "status": 400, "code": "invalid_stream_position"}"#)
    #expect(try await storage.names().sorted() == ["x.org", "y.org"])
    try await box.emulator.control(#"{"op": "reset"}"#)
    try await box.emulator.put("new\n", at: "/top/new.org")
    let next = try await box.storage("/top", journal: journal)
    #expect(try await next.names() == ["new.org"])
  }

  @Test("a marker that repeats, and a listing that is too long, prove nothing")
  func endless() async throws {
    let (box, storage) = try await started { $0.maxFiles = 20 }
    try await box.emulator.put("x\n", at: "/top/x.org")
    let body = #"{\"entries\": [], \"next_marker\": \"again\"}"#
    try await box.emulator.control(
      #"{"op": "fail", "route": "GET /folders/:id/items", "count": 100, "body": "\#(body)"}"#)
    let endless = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(endless?.message.contains("does not end") == true)
    try await box.emulator.control(#"{"op": "calm"}"#)
    for number in 0..<30 { try await box.emulator.put("x\n", at: "/top/\(number % 4)/\(number).org") }
    let long = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(long?.message.contains("max-files") == true)
  }

  @Test("a folder that may not be listed is unread and not empty, and is listed when it may be")
  func denied() async throws {
    let (box, storage) = try await started()
    try await box.emulator.put("x\n", at: "/top/a/x.org")
    try await box.emulator.put("y\n", at: "/top/y.org")
    _ = try await storage.names()
    try await box.emulator.put("z\n", at: "/top/a/z.org")
    try await box.emulator.control(#"{"op": "fail", "route": "GET /folders/:id/items", "status": 403}"#)
    let snapshot = try await storage.list(since: Known())
    let (inside, outside) = (try syncPath("a/z.org"), try syncPath("b.org"))
    #expect(snapshot.isUnknown(inside) && !snapshot.isUnknown(outside))
    #expect(try await storage.names().sorted() == ["a/x.org", "a/z.org", "y.org"])
  }

  @Test("a web link is present and is not a file")
  func links() async throws {
    let (box, storage) = try await started()
    try await box.emulator.createLink("/top/link.org")
    let snapshot = try await storage.list(since: Known())
    let link = try syncPath("link.org")
    #expect(snapshot.count == 0 && snapshot.isUnknown(link))
    #expect(try await !storage.put("x\n", at: "link.org").isDone)
    guard case .unknown = try await storage.confirm(file: try syncPath("link.org")) else {
      Issue.record("a web link counts as absent")
      return
    }
  }

  @Test("a missing root is not an empty one, and a root by id follows its folder")
  func roots() async throws {
    let box = try await TestBox()
    let missing = try await box.storage("/a/b")
    let error = await #expect(throws: SyncError.self) { _ = try await missing.list(since: Known()) }
    #expect(error?.code == .notFound)
    let blocked = await #expect(throws: SyncError.self) { try await missing.createRoot() }
    #expect(blocked?.code == .unavailable && blocked?.message.contains("root") == true)
    let id = try await box.emulator.createFolder("/a/b")
    try await missing.createRoot()
    try await box.emulator.put("x\n", at: "/a/b/x.org")
    #expect(try await missing.names() == ["x.org"])
    let byID = try await box.storage("id:\(id)")
    #expect(try await byID.names() == ["x.org"])
    try await box.emulator.move("/a/b", to: "/a/c")
    #expect(try await byID.names() == ["x.org"])
    let moved = await #expect(throws: SyncError.self) { _ = try await missing.list(since: Known()) }
    #expect(moved?.code == .notFound)
    try await box.emulator.remove("/a/c")
    let gone = await #expect(throws: SyncError.self) { _ = try await byID.list(since: Known()) }
    #expect(gone?.code == .notFound)
  }

  @Test("a file that only the listing of its folder lacks is not absent")
  func inconsistent() async throws {
    let box = try await TestBox()
    let storage = try await box.storage("id:\(try await box.emulator.createFolder("/top"))")
    try await box.emulator.put("x\n", at: "/top/x.org")
    #expect(try await storage.names() == ["x.org"])
    try await box.emulator.put("y\n", at: "/top/y.org")
    let body = #"{\"entries\": [], \"next_marker\": null}"#
    try await box.emulator.control(
      #"{"op": "fail", "route": "GET /folders/:id/items", "count": 2, "body": "\#(body)"}"#)
    #expect(try await storage.names() == [])
    guard case .unknown = try await storage.confirm(file: try syncPath("x.org")) else {
      Issue.record("a listing alone proves that a file is absent")
      return
    }
  }
}
