import SyncKit
import Testing

@testable import SyncDaemon

@Suite("The schedule of the service")
struct ScheduleTests {
  private static let timing = Schedule.Timing(
    interval: .seconds(300), quiet: .milliseconds(500), maxDelay: .seconds(10))

  /// Two remotes that were in sync when the service was one second old.
  private func settled() -> Schedule {
    var schedule = Schedule(["a", "b"], Self.timing, at: .zero)
    for name in ["a", "b"] { schedule.record(.synced, of: name, from: .zero, to: .seconds(1), jitter: 0.5) }
    return schedule
  }

  @Test("the schedule begins with all remotes, and checks them again at slightly random intervals")
  func intervals() {
    var schedule = Schedule(["a", "b"], Self.timing, at: .zero)
    #expect(schedule.due(at: .zero) == ["a", "b"])
    schedule.record(.synced, of: "a", from: .zero, to: .seconds(1), jitter: 0)
    schedule.record(.synced, of: "b", from: .zero, to: .seconds(1), jitter: 1)
    #expect(schedule.due(at: .seconds(270)) == [])
    #expect(schedule.next() == .seconds(271))
    #expect(schedule.due(at: .seconds(271)) == ["a"])
    #expect(schedule.due(at: .seconds(331)) == ["a", "b"])
  }

  @Test("a pass waits until files have been unchanged for a while, up to a limit")
  func quiet() {
    var schedule = settled()
    schedule.change(at: .seconds(20))
    #expect(schedule.next() == .milliseconds(20_500))
    schedule.change(at: .milliseconds(20_400))
    #expect(schedule.due(at: .milliseconds(20_500)) == [])
    #expect(schedule.due(at: .milliseconds(20_900)) == ["a", "b"])
    for tenth in 204...400 { schedule.change(at: .milliseconds(tenth * 100)) }
    #expect(schedule.next() == .seconds(30))
  }

  @Test("a change causes a pass only over its remote")
  func oneRemote() {
    var schedule = settled()
    schedule.change(["b"], at: .seconds(20))
    #expect(schedule.due(at: .seconds(21)) == ["b"])
  }

  @Test("a change during a pass causes another one, unless the pass began after the change")
  func meanwhile() {
    var schedule = settled()
    schedule.change(at: .seconds(20))
    schedule.record(.synced, of: "a", from: .seconds(21), to: .seconds(25), jitter: 0.5)
    #expect(schedule.due(at: .seconds(26)) == ["b"])
    schedule.change(["a"], at: .seconds(26))
    schedule.record(.synced, of: "a", from: .seconds(25), to: .seconds(27), jitter: 0.5)
    #expect(schedule.due(at: .seconds(27)).contains("a"))
  }

  @Test(
    "an unreachable remote is retried with growing pauses, up to the interval, whatever changes")
  func away() {
    var schedule = settled()
    var now = Duration.seconds(10)
    for pause in [5, 10, 20, 40, 80, 160, 300, 300] {
      schedule.record(.unreachable, of: "a", from: now, to: now, jitter: 0.5)
      schedule.change(["a"], at: now)
      #expect(!schedule.due(at: now + .seconds(pause) - .milliseconds(1)).contains("a"))
      now += .seconds(pause)
      #expect(schedule.due(at: now).contains("a"), "\(pause)")
    }
    schedule.record(.synced, of: "a", from: now, to: now, jitter: 0.5)
    schedule.record(.unreachable, of: "a", from: now, to: now, jitter: 0.5)
    #expect(schedule.due(at: now + .seconds(5)).contains("a"))
  }

  @Test("unfinished passes are repeated soon, and refused logins rarely")
  func retries() {
    var schedule = settled()
    schedule.record(.unsettled, of: "a", from: .seconds(10), to: .seconds(10), jitter: 0.5)
    #expect(schedule.due(at: .seconds(11)) == ["a"])
    schedule.record(.unauthorized, of: "a", from: .seconds(11), to: .seconds(11), jitter: 0.5)
    #expect(schedule.due(at: .seconds(310)) == ["b"])
    #expect(schedule.due(at: .seconds(311)) == ["a", "b"])
  }

  @Test("a schedule without remotes has no next pass")
  func empty() { #expect(Schedule([], Self.timing, at: .zero).next() == nil) }
}
