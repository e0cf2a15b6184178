import SyncKit
import Testing

@testable import SyncDaemon

@Suite("Running passes of the service")
struct RunningPassesTests {
  private func request(_ remotes: [String]) -> ControlRequest {
    ControlRequest(
      command: .sync, remotes: remotes, answer: { _ in }, offer: { _ in true }, isOver: AsyncStream { $0.finish() })
  }

  private func report(_ remote: String) -> PassReport { PassReport(remote: remote) }

  @Test("passes over one remote do not overlap, and different remotes do not wait for each other")
  func overlap() {
    var passes = RunningPasses()
    #expect(passes.begin(["a", "b"], at: .zero) == ["a", "b"])
    #expect(passes.begin(["a", "b", "c"], at: .seconds(1)) == ["c"])
    _ = passes.end(report("b"))
    #expect(passes.begin(["a", "b", "c"], at: .seconds(2)) == ["b"])
    #expect(!passes.isIdle)
    for name in ["a", "b", "c"] { _ = passes.end(report(name)) }
    #expect(passes.isIdle)
  }

  @Test("a request is answered when each of its remotes has had a pass that began after it")
  func requests() {
    var passes = RunningPasses()
    #expect(passes.begin(["a"], at: .zero) == ["a"])
    passes.add(request(["a", "b"]), for: ["a", "b"])
    #expect(passes.begin([], at: .zero) == ["b"])
    #expect(passes.end(report("a")).isEmpty)
    #expect(passes.end(report("b")).isEmpty)
    #expect(passes.begin([], at: .zero) == ["a"])
    let answered = passes.end(report("a"))
    #expect(answered.map { $0.request.remotes } == [["a", "b"]])
    #expect(answered.first?.reports.map(\.remote) == ["b", "a"])
    #expect(passes.begin([], at: .zero) == [] && passes.unanswered.isEmpty)
  }

  @Test("passes are stuck if one continues long after its limit or its cancellation")
  func stuck() {
    var passes = RunningPasses()
    _ = passes.begin(["a"], at: .zero)
    let end = RunningPasses.limit + RunningPasses.patience
    #expect(!passes.isStuck(at: end))
    #expect(passes.isStuck(at: end + .seconds(1)))
    passes.cancel(at: .seconds(10))
    #expect(!passes.isStuck(at: .seconds(10) + RunningPasses.patience))
    #expect(passes.isStuck(at: .seconds(11) + RunningPasses.patience))
    _ = passes.end(report("a"))
    #expect(!passes.isStuck(at: end * 2))
  }
}
