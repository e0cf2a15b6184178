import Synchronization

/// A token bucket: limits the rate of all transfers that share it. Pure but for its own state: the time is a parameter.
///
/// In any period, no more passes than the rate allows in it and in ``burst``, and one piece.
public final class Throttle: Sendable {
  private let rate: @Sendable (Timestamp) -> Int?
  /// When the bytes that were reserved so far will have passed, in nanoseconds.
  private let end = Mutex<Int64>(.min)

  /// The period whose unused rate may be used later, so that a wait that ends late costs no rate.
  public static let burst = Duration.milliseconds(250)
  /// The longest wait that transfers can cause for each other; a longer one means that the clock was set back.
  private static let longestWait: Int64 = 300_000_000_000
  /// The size of a piece at high rates, in bytes.
  private static let largestPiece = 1 << 16

  /// - Parameter rate: the bytes per second at a time; nil if they are not limited then.
  public init(rate: @escaping @Sendable (Timestamp) -> Int?) { self.rate = rate }

  /// Returns the bytes per second at a time; nil if they are not limited then.
  func limit(at now: Timestamp) -> Int? { rate(now).flatMap { $0 > 0 ? $0 : nil } }

  /// The maximum number of bytes to reserve at a time: a quarter of a second's, so that concurrent transfers alternate.
  public func piece(at now: Timestamp) -> Int {
    rate(now).map { min(max(1, $0 / 4), Self.largestPiece) } ?? .max
  }

  /// Reserves `count` bytes, and returns how long to wait before they may pass.
  public func reserve(_ count: Int, at now: Timestamp) -> Duration {
    guard let rate = rate(now), rate > 0 else { return .zero }
    let cost = Int64((Double(count) / Double(rate) * 1e9).rounded(.up))
    let start = end.withLock { end in
      let earliest = now.nanoseconds - Int64(Self.burst / .nanoseconds(1))
      let isUsable = end <= now.nanoseconds.addingReportingOverflow(Self.longestWait).partialValue
      let start = isUsable ? max(end, earliest) : now.nanoseconds
      end = start + cost
      return start
    }
    return .nanoseconds(max(0, start - now.nanoseconds))
  }
}

/// The limits of a remote's transfers. All bytes of its files pass here, or in the streams of a backend that moves them itself.
public struct TrafficLimit: Sendable {
  /// The throttles of the bytes to the remote; all of them apply.
  public var up: [Throttle]
  /// The throttles of the bytes from the remote; all of them apply.
  public var down: [Throttle]

  /// The direction of a transfer.
  public enum Direction: Sendable {
    /// To the remote.
    case up
    /// From the remote.
    case down
  }

  /// No limits.
  public static let none = TrafficLimit()

  public init(up: [Throttle] = [], down: [Throttle] = []) {
    (self.up, self.down) = (up, down)
  }

  /// True if nothing is limited in this direction at any time.
  public func isUnlimited(_ direction: Direction) -> Bool { throttles(direction).isEmpty }

  /// Returns the lowest rate at a time, in bytes per second; nil if none applies then. For a program that moves the bytes itself:
  /// what passes there is not reserved here, so it does not reduce what others may transfer.
  public func rate(_ direction: Direction, at now: Timestamp) -> Int? {
    throttles(direction).compactMap { $0.limit(at: now) }.min()
  }

  /// Returns the maximum number of bytes that may pass at a time.
  public func piece(_ direction: Direction, at now: Timestamp) -> Int {
    throttles(direction).map { $0.piece(at: now) }.min() ?? .max
  }

  /// Reserves at most ``piece(_:at:)`` bytes, and returns how long to wait before they may pass.
  public func reserve(_ count: Int, _ direction: Direction, at now: Timestamp) -> Duration {
    throttles(direction).map { $0.reserve(count, at: now) }.max() ?? .zero
  }

  /// Waits until `count` bytes may pass.
  public func wait(for count: Int, _ direction: Direction, _ runtime: Runtime) async throws(SyncError) {
    var rest = count
    while rest > 0 {
      let now = runtime.now()
      let part = min(rest, piece(direction, at: now))
      let pause = reserve(part, direction, at: now)
      if pause > .zero {
        do { try await runtime.sleep(pause) } catch {
          throw SyncError(.cancelled, "the pass was stopped while it waited for its bandwidth")
        }
      }
      rest -= part
    }
  }

  private func throttles(_ direction: Direction) -> [Throttle] { direction == .up ? up : down }
}
