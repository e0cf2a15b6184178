import DropboxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

@Suite("A long poll")
struct LongPollTests {
  @Test("a long poll reports a change, and nothing without a change")
  func rings() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    var news = storage.changes().makeAsyncIterator()
    _ = try await storage.list(since: Known())
    try await dropbox.emulator.put("* elsewhere\n", at: "/elsewhere/a.org")
    try await dropbox.emulator.put("* a\n", at: "/top/a.org")
    #expect(await news.next() != nil)
    #expect(try await storage.names() == ["a.org"])
    try await dropbox.emulator.put("* b\n", at: "/top/b.org")
    #expect(await news.next() != nil)
    #expect(try await storage.names() == ["a.org", "b.org"])
    #expect(await dropbox.emulator.calls()["files/list_folder/longpoll", default: 0] <= 4)
  }

  @Test("a long poll continues after repeated disconnects, a request to back off, and an invalid cursor")
  func troubles() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    try await dropbox.emulator.control(
      #"{"op": "fail", "route": "files/list_folder/longpoll", "count": 3, "drop": "before"}"#)
    try await dropbox.emulator.control(#"{"op": "longpoll", "scale": 0.001, "backoff": 5}"#)
    var news = storage.changes().makeAsyncIterator()
    _ = try await storage.list(since: Known())
    try await dropbox.emulator.put("* a\n", at: "/top/a.org")
    #expect(await news.next() != nil)
    #expect(try await storage.names() == ["a.org"])
    try await dropbox.emulator.control(#"{"op": "reset_cursors"}"#)
    #expect(await news.next() != nil)
    #expect(try await storage.names() == ["a.org"])
  }

  @Test("a running service downloads a change after a long poll")
  func service() async throws {
    let dropbox = try await TestDropbox()
    try await dropbox.emulator.put("* first\n", at: "/notes/a.org")
    let sandbox = try DropboxSandbox(dropbox)
    let service = try sandbox.syncd([])
    try await sandbox.wait("the first sync") { $0.read("a.org") == "* first\n" }
    // Our own first writes trigger a pass; after it all is quiet.
    try await sandbox.wait("a long poll") { _ in
      await dropbox.emulator.calls()["files/list_folder/longpoll", default: 0] > 0
    }
    for number in 0..<4 {
      // The service debounces its own writes to the store like a user's edits.
      try await Task.sleep(for: .seconds(1))
      let began = ContinuousClock.now
      try await dropbox.emulator.put("* edit \(number)\n", at: "/notes/a.org")
      try await sandbox.wait("edit \(number)") { $0.read("a.org") == "* edit \(number)\n" }
      print("an edit reached the store by long poll after \(ContinuousClock.now - began)")
    }
    service.end()
    #expect(try await service.wait() == 0, "\(service.text)")
  }
}
