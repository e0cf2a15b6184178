internal import HTTPStorage
internal import SyncKit

/// Reports changes with Box's long poll: waits at an address that Box names, until there are events.
struct LongPoll: Sendable {
  let service: Service
  let feed: Feed

  private static let pauses = (first: Duration.seconds(1), longest: Duration.seconds(300))
  /// The patience with the service beyond its own limit, in seconds.
  private static let grace = 10
  private static let mostWaits = 100

  /// An address for some waits.
  private struct Channel {
    var url: String
    var seconds: Int
    var waits: Int
  }

  /// Calls `ring` for each change until the task is cancelled.
  func run(_ ring: @Sendable () -> Void) async {
    var pause = Self.pauses.first
    while !Task.isCancelled {
      await feed.signal.wait(after: 0)
      guard !Task.isCancelled, feed.position != nil else { continue }
      do throws(SyncError) {
        try await use(try await channel(), ring)
        pause = Self.pauses.first
      } catch {
        guard (try? await service.sleep(for: pause)) != nil else { return }
        pause = min(pause * 2, Self.pauses.longest)
      }
    }
  }

  private func channel() async throws(SyncError) -> Channel {
    let reply: RealtimeReply = try await service.ask("events", method: "OPTIONS", at: "the events")
    guard let server = reply.entries.first(where: { $0.type == "realtime_server" }) else {
      throw service.nonsense("the events")
    }
    return Channel(
      url: server.url, seconds: (server.retryTimeout?.value ?? 610) + Self.grace,
      waits: min(max(1, server.maxRetries?.value ?? 1), Self.mostWaits))
  }

  /// Waits until the channel ends.
  private func use(_ channel: Channel, _ ring: @Sendable () -> Void) async throws(SyncError) {
    // What happened before the channel existed would otherwise wait for the next change.
    try await reportNews(ring)
    for _ in 0..<channel.waits {
      guard let (stream, listings) = feed.position else { return }
      let separator = channel.url.contains("?") ? "&" : "?"
      let answer = try await service.wait(
        at: "\(channel.url)\(separator)stream_position=\(stream.text)", seconds: channel.seconds)
      let reply: NewsReply = try service.value(in: answer, at: "the events")
      guard reply.message == "new_change" else { return }
      // Events that were read meanwhile are known; most often this device caused them.
      guard feed.position?.stream == stream else { continue }
      ring()
      await feed.signal.wait(after: listings)
    }
  }

  private func reportNews(_ ring: @Sendable () -> Void) async throws(SyncError) {
    guard let (stream, listings) = feed.position else { return }
    let page: EventPage = try await service.ask(
      "events?stream_type=changes&stream_position=\(stream.text)&limit=1", at: "the events")
    guard page.nextStreamPosition != stream, feed.position?.stream == stream else { return }
    ring()
    await feed.signal.wait(after: listings)
  }
}
