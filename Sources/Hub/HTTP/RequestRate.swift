import Synchronization

/// Limits the requests of each client to a rate, with a reserve for bursts.
final class RequestRate: Sendable {
  private let perMinute: Double
  private let burst: Double
  private let clients = Mutex<[String: (tokens: Double, at: ContinuousClock.Instant)]>([:])
  /// The number of clients that are remembered at most.
  private static let limit = 4_096

  private let now: @Sendable () -> ContinuousClock.Instant

  init(perMinute: Int, burst: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
    (self.perMinute, self.burst, self.now) = (Double(perMinute), Double(burst), now)
  }

  /// Counts a request; returns the seconds to wait if it is one too many, and nil if it may pass.
  func count(_ client: String) -> Int? {
    let now = now()
    return clients.withLock { clients in
      if clients.count > Self.limit { clients = clients.filter { now - $0.value.at < .seconds(120) } }
      if clients.count > Self.limit { clients = [:] }
      let last = clients[client] ?? (burst, now)
      let tokens = min(burst, last.tokens + (now - last.at) / .seconds(60) * perMinute)
      clients[client] = (max(0, tokens - 1), now)
      guard tokens < 1 else { return nil }
      clients[client] = (tokens, now)
      return max(1, Int(((1 - tokens) / perMinute * 60).rounded(.up)))
    }
  }

  /// Returns the seconds to wait if the next request would be one too many, without counting one.
  func wait(_ client: String) -> Int? {
    let now = now()
    return clients.withLock { clients in
      guard let last = clients[client] else { return nil }
      let tokens = min(burst, last.tokens + (now - last.at) / .seconds(60) * perMinute)
      return tokens < 1 ? max(1, Int(((1 - tokens) / perMinute * 60).rounded(.up))) : nil
    }
  }
}
