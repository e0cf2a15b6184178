import SyncDaemon
import SyncKit
import Synchronization

/// Shows the progress of a long pass on a terminal; shows nothing elsewhere.
final class ProgressBar: Sendable {
  private let isShown: Bool
  private let runtime: Runtime
  private let start: Timestamp
  private let drawn = Mutex<Timestamp?>(nil)
  /// When each remote began its present stage.
  private let stages = Mutex<[String: (stage: Progress.Stage, start: Timestamp)]>([:])

  /// The duration below which a pass shows no bar.
  private static let patience: Int64 = 500_000_000
  /// The minimum time between two updates.
  private static let pace: Int64 = 100_000_000

  init(isShown: Bool, runtime: Runtime = .real) {
    self.isShown = isShown
    self.runtime = runtime
    start = runtime.now()
  }

  /// Draws the bar if it is time to.
  func show(_ progress: Progress) {
    guard isShown, progress.stage != .ended else { return }
    let now = runtime.now()
    guard now.nanoseconds - start.nanoseconds > Self.patience else { return }
    let isDue = drawn.withLock { last in
      guard now.nanoseconds - (last?.nanoseconds ?? 0) > Self.pace else { return false }
      last = now
      return true
    }
    let begin = stages.withLock { stages in
      if let begun = stages[progress.remote], begun.stage == progress.stage { return begun.start }
      stages[progress.remote] = (progress.stage, now)
      return now
    }
    guard isDue else { return }
    let elapsed = Double(now.nanoseconds - begin.nanoseconds) / 1e9
    Console.draw("\r\u{1B}[K" + ProgressText(progress, elapsed: elapsed).line(width: Console.width ?? 80))
  }

  /// Removes the bar.
  func clear() {
    let wasDrawn = drawn.withLock { $0 != nil }
    if wasDrawn { Console.draw("\r\u{1B}[K") }
  }
}

/// The progress of one stage as a line. Pure.
struct ProgressText {
  private let progress: Progress
  private let elapsed: Double

  /// The seconds after which a rate says something.
  private static let trial = 1.0

  /// - Parameter elapsed: the seconds since the stage began.
  init(_ progress: Progress, elapsed: Double) { (self.progress, self.elapsed) = (progress, elapsed) }

  /// Returns the line: the remote, the stage, a bar, the files, and after a second the rate and the time left. The bar gives way on a
  /// narrow terminal.
  func line(width: Int) -> String {
    let name = "\(progress.remote): \(progress.stage.rawValue) "
    guard progress.total > 0 else { return TextTable.cut(name + "…", to: width) }
    let facts = "\(progress.done) of \(progress.total)" + rate + rest
    let room = min(30, width - name.count - facts.count - 2)
    guard room >= 5 else { return TextTable.cut(name + facts, to: max(1, width - 1)) }
    let filled = min(room, progress.done * room / progress.total)
    return name + String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled) + " " + facts
  }

  private var rate: String {
    guard elapsed >= Self.trial, progress.bytes > 0 else { return "" }
    return ", \(size(Int(Double(progress.bytes) / elapsed)))/s"
  }

  private var rest: String {
    guard elapsed >= Self.trial, progress.done > 0, progress.done < progress.total else { return "" }
    let seconds = elapsed / Double(progress.done) * Double(progress.total - progress.done)
    return ", \(Duration.seconds(max(1, Int(seconds.rounded(.up)))).text) left"
  }
}
