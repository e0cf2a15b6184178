import Foundation
import Testing

@testable import SyncKit

@Suite("SYNCD_FAILPOINTS")
struct FailpointPlanTests {
  @Test(
    "a plan with a mistake is refused as a whole",
    arguments: [
      "x=kill", "pass.finished", "pass.finished=", "pass.finished=maim", "pass.finished=error(EWHAT)",
      "pass.finished=error", "pass.finished=kill@sometimes", "pass.finished=kill@nth(x)", "pass.finished=kill@",
      "pass.finished=kill@probability(1)", "pass.finished=delay(x)", "pass.finished=short(-1)",
      "pass.finished=delay(4294967295)", "pass.finished=pause()", "pass.finished=pause", "*=kill;x=kill",
      "pass.finished=kill@nth(0)",
    ])
  func mistakes(text: String) {
    #expect(FailpointPlan.mistake(in: text, among: PassFailpoint.all) != nil)
  }

  @Test("a plan may be empty")
  func nothing() throws {
    let plan = try #require(FailpointPlan(""))
    for failpoint in PassFailpoint.all { try plan.reach(failpoint.name) }
    #expect(FailpointPlan.mistake(in: "", among: []) == nil)
  }

  @Test(
    "a failpoint acts as often as its rule says",
    arguments: [
      ("*=error(EIO)", [1, 2, 3, 4]), ("*=error(EIO)@every", [1, 2, 3, 4]), ("*=error(EIO)@first", [1]),
      ("*=error(EIO)@nth(3)", [3]), ("pass.finished=error(5)@nth(2)", [2]), ("pass.scan.starting=error(5)", []),
      ("*=error(EIO)@probability(0,1)", []), ("*=error(EIO)@probability(1,1)", [1, 2, 3, 4]),
      ("*=error(EIO)@nth(1);*=error(EIO)@nth(4)", [1, 4]),
    ])
  func counts(text: String, expected: [Int]) throws {
    #expect(FailpointPlan.mistake(in: text, among: PassFailpoint.all) == nil)
    let plan = try #require(FailpointPlan(text))
    let failed = (1...4).filter { _ in
      do throws(SyncError) { try plan.reach(finished) } catch { return true }
      return false
    }
    #expect(failed == expected)
  }

  @Test("the star counts all failpoints together, and each rule counts separately")
  func star() throws {
    let plan = try #require(FailpointPlan("*=error(EIO)@nth(2)"))
    try plan.reach(started)
    #expect(throws: SyncError.self) { try plan.reach(finished) }
    try plan.reach(started)
  }

  @Test("random choices are the same for the same seed")
  func probability() throws {
    func hits(_ seed: Int) throws -> [Bool] {
      let plan = try #require(FailpointPlan("*=error(EIO)@probability(0.5,\(seed))"))
      return (0..<200).map { _ in
        do throws(SyncError) { try plan.reach(finished) } catch { return true }
        return false
      }
    }
    #expect(try hits(1) == hits(1))
    #expect(try hits(1) != hits(2))
    #expect((60...140).contains(try hits(1).count { $0 }))
  }

  @Test("a failpoint truncates and corrupts the bytes being written")
  func writing() throws {
    var bytes = Array("0123456789".utf8)
    try #require(FailpointPlan("*=short(4)")).reach(finished, writing: &bytes)
    #expect(bytes == Array("0123".utf8))
    try #require(FailpointPlan("*=corrupt")).reach(finished, writing: &bytes)
    #expect(bytes.count == 4 && bytes != Array("0123".utf8))
    var nothing: [UInt8] = []
    try #require(FailpointPlan("*=corrupt;*=short(4)")).reach(finished, writing: &nothing)
    #expect(nothing.isEmpty)
  }

  @Test("a pause creates a file when it begins, and ends when its own file exists")
  func pause() async throws {
    let go = NSTemporaryDirectory() + UUID().uuidString
    let plan = try #require(FailpointPlan("*=pause(\(go))"))
    defer { for file in [go, go + ".reached"] { try? FileManager.default.removeItem(atPath: file) } }
    let paused = Task.detached { try plan.reach("pass.finished") }
    for _ in 0..<60_000 where !FileManager.default.fileExists(atPath: go + ".reached") {
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    try await paused.value
  }

  @Test(
    "an ENOSPC failpoint throws the error of a full disk",
    arguments: [("ENOSPC", SyncError.Code.noSpace), ("EIO", .unexpected)])
  func codes(name: String, code: SyncError.Code) throws {
    let plan = try #require(FailpointPlan("*=error(\(name))"))
    let error = #expect(throws: SyncError.self) { try plan.reach(finished) }
    #expect(error?.code == code)
  }

  @Test("failpoints are listed once each, by names of two or three parts, with the threatened promise")
  func names() {
    let all = PassFailpoint.all + StorageFailpoint.all
    #expect(Set(all.map(\.name)).count == all.count)
    for failpoint in all {
      #expect((2...3).contains(failpoint.name.split(separator: ".").count))
      #expect(failpoint.promise.first == "P")
    }
  }

  private let finished = PassFailpoint.finished.rawValue
  private let started = PassFailpoint.started.rawValue
}
