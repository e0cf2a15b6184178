import MeshStore
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

/// A process that is killed at each failpoint of a write, or whose disk is full there.
@Suite("Interrupted writes to the folder of a mesh")
struct MeshCrashTests {
  /// Stops at the n-th failpoint, and at all later ones.
  private final class Kill: Sendable {
    private let left: Mutex<Int>
    let code: SyncError.Code

    init(at number: Int, code: SyncError.Code = .unexpected) {
      left = Mutex(number)
      self.code = code
    }

    func reach(_ point: MeshFailpoint) throws(SyncError) {
      let isOver = left.withLock { left in
        left -= 1
        return left <= 0
      }
      if isOver { throw SyncError(code, "killed at \(point.rawValue)") }
    }
  }

  @Test("a commit happened whole or not at all, and the next process continues")
  func commits() async throws {
    var outcomes: Set<String> = []
    for number in 1..<100 {
      let place = MeshPlace()
      _ = try await place.handle().claim()
      try await place.handle().put("old\n", at: "a.org")
      let kill = Kill(at: number)
      let killed = place.handle { point throws(SyncError) in try kill.reach(point) }
      do { try await killed.put("new\n", at: "a.org") } catch { outcomes.insert("killed") }
      let next = place.handle()
      try await next.recover()
      let texts = try await next.texts()
      #expect(texts == ["a.org": "old\n"] || texts == ["a.org": "new\n"], "after kill \(number)")
      outcomes.formUnion(texts.values)
      try await next.put("later\n", at: "a.org")
      #expect(try await place.handle().texts() == ["a.org": "later\n"])
      if try await Self.isDone(number, place) { break }
    }
    #expect(outcomes == ["killed", "old\n", "new\n"])
  }

  /// Returns true if a whole write has fewer failpoints than `number`.
  private static func isDone(_ number: Int, _ place: MeshPlace) async throws -> Bool {
    let kill = Kill(at: number)
    do {
      try await place.handle { point throws(SyncError) in try kill.reach(point) }.put("last\n", at: "a.org")
      return true
    } catch { return false }
  }

  @Test(
    "a join happened whole or not at all, and a later meeting continues",
    arguments: [SyncError.Code.unexpected, .noSpace])
  func joins(code: SyncError.Code) async throws {
    var count = 0
    for number in 1..<100 {
      let (place, other) = (MeshPlace(), MeshPlace())
      for handle in [place.handle(), other.handle()] { _ = try await handle.claim() }
      let desk = other.handle(device: "desk")
      try await desk.put("one\n", at: "a.org")
      try await desk.put(String(repeating: "y", count: 2 << 20), at: "large.txt")
      try await place.handle().put("own\n", at: "own.org")
      let kill = Kill(at: number, code: code)
      let killed = place.handle { point throws(SyncError) in try kill.reach(point) }
      var isKilled = false
      do { try await killed.join(desk.offer()) } catch {
        #expect(error.code == code)
        isKilled = true
      }
      let next = place.handle()
      try await next.recover()
      #expect(try await next.texts()["own.org"] == "own\n")
      let names = try await next.texts().keys.sorted()
      #expect(names == ["own.org"] || names == ["a.org", "large.txt", "own.org"], "\(names)")
      try await next.join(desk.offer())
      try await desk.join(next.offer())
      #expect(try await next.texts() == desk.texts())
      #expect(try await next.texts().count == 3)
      guard isKilled else { break }
      count += 1
    }
    #expect(count > 5)
  }
}
