import SyncDaemon
import SyncKit
import Synchronization

/// Shows the progress of a long pass on a terminal; shows nothing elsewhere.
final class ProgressBar: Sendable {
  private let isShown: Bool
  private let runtime: Runtime
  private let start: Timestamp
  private let drawn = Mutex<Timestamp?>(nil)

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
    if isDue { Console.draw("\r\u{1B}[K" + text(progress)) }
  }

  /// Removes the bar.
  func clear() {
    let wasDrawn = drawn.withLock { $0 != nil }
    if wasDrawn { Console.draw("\r\u{1B}[K") }
  }

  private func text(_ progress: Progress) -> String {
    guard progress.total > 0 else { return "\(progress.remote): \(progress.stage.rawValue) …" }
    let width = 30
    let filled = min(width, progress.done * width / progress.total)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    return "\(progress.remote): \(progress.stage.rawValue) \(bar) \(progress.done) of \(progress.total)"
  }
}
