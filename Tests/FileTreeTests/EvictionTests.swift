import SyncKit
import Testing

@testable import FileTree

@Suite("Requests for contents that are only in a cloud") struct EvictionTests {
  @Test("a pause between two requests for one content grows, and a pass asks for a limited number")
  func requests() {
    var times = RequestTimes()
    let minute: Int64 = 60_000_000_000
    #expect(times.isDue(at: Timestamp(nanoseconds: 0)))
    for (now, isDue) in [(0, true), (9, false), (10, true), (69, false), (70, true), (1_509, false), (1_510, true)] {
      let time = Timestamp(nanoseconds: Int64(now) * minute)
      #expect(times.isDue(at: time) == isDue, "\(now)")
      if isDue { times.record(at: time) }
    }
    #expect(times.isDue(at: Timestamp(nanoseconds: 0)))
    var budget = RequestBudget()
    #expect((1...201).filter { _ in budget.take(0) }.count == 200)
    budget = RequestBudget()
    #expect(budget.take(200_000_000) && !budget.take(1))
  }
}
