import SyncKit

extension MeshNetwork {
  /// Lets the helper limit its transfers, and tells it when the limits change with the time of day.
  func limitTraffic(of helper: TorrentHelper) {
    guard !options.traffic.isUnlimited(.up) || !options.traffic.isUnlimited(.down) else { return }
    let first = limits
    helper.send(first)
    Task { [weak self, weak helper, runtime] in
      var last = first
      while true {
        do { try await runtime.sleep(Self.limitStep) } catch { return }
        guard let helper, let current = await self?.limits else { return }
        if current != last { helper.send(current) }
        last = current
      }
    }
  }

  /// The line with the limits at this time; 0 for none.
  private var limits: String {
    let now = runtime.now()
    return "rate \(options.traffic.rate(.up, at: now) ?? 0) \(options.traffic.rate(.down, at: now) ?? 0)"
  }

  private static let limitStep = Duration.seconds(5)
}
