import BoxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudBox

@Suite("A long poll of Box")
struct LongPollTests {
  @Test("a long poll reports a change, at once even if it came before the wait")
  func rings() async throws {
    let box = try await TestBox()
    let storage = try await box.storage("/top")
    try await storage.createRoot()
    _ = try await storage.list(since: Known())
    try await box.emulator.put("* a\n", at: "/top/a.org")
    var news = storage.changes().makeAsyncIterator()
    #expect(await news.next() != nil)
    #expect(try await storage.names() == ["a.org"])
    try await box.emulator.put("* b\n", at: "/top/b.org")
    #expect(await news.next() != nil)
    #expect(try await storage.names() == ["a.org", "b.org"])
    #expect(await box.emulator.tokenLeaks() == 0)
  }

  @Test("a long poll continues after disconnects, refusals and requests to reconnect")
  func troubles() async throws {
    let box = try await TestBox()
    let storage = try await box.storage("/top")
    try await storage.createRoot()
    try await box.emulator.control(#"{"op": "longpoll", "scale": 0.001}"#)
    for how in [#""drop": "before""#, #""status": 500"#, #""body": "<html></html>""#] {
      try await box.emulator.control(#"{"op": "fail", "route": "GET /subscribe", "count": 2, \#(how)}"#)
    }
    try await box.emulator.control(#"{"op": "fail", "route": "OPTIONS /events", "status": 404}"#)
    var news = storage.changes().makeAsyncIterator()
    _ = try await storage.list(since: Known())
    while await box.emulator.calls()["GET /subscribe", default: 0] < 8 { try await Task.sleep(for: .milliseconds(5)) }
    try await box.emulator.put("* a\n", at: "/top/a.org")
    #expect(await news.next() != nil)
    #expect(try await storage.names() == ["a.org"])
  }
}
