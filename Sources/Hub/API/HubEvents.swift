package import SyncKit
import Synchronization

/// An event for the clients that listen.
package struct HubEvent: Sendable, Hashable {
  /// The name of the event; empty for a comment, which clients ignore.
  package var name: String
  /// The number of the batch, with which a client can continue; nil for other events.
  package var number: Int?
  /// The data.
  package var data: JSON

  /// The event as text of an event stream.
  package var text: String {
    guard !name.isEmpty else { return ":\n\n" }
    return "event: \(name)\n" + (number.map { "id: \($0)\n" } ?? "") + "data: \(data.line)\n\n"
  }
}

/// One client's subscription to events. It ends with ``end()``, and should be ended when the client is gone.
package struct EventSubscription: Sendable {
  /// The events in order; ends if the client is too slow, or the hub stops.
  package let events: AsyncStream<HubEvent>
  /// Removes the subscription.
  package let end: @Sendable () -> Void
}

/// Tells all listening clients about events.
final class HubEvents: Sendable {
  private let listeners = Mutex<[Int: Listener]>([:])
  private let next = Atomic(0)
  /// Gets a value whenever a client is added.
  let opened: AsyncStream<Void>
  private let opening: AsyncStream<Void>.Continuation

  init() { (opened, opening) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  private struct Listener {
    var device: String
    var stream: AsyncStream<HubEvent>.Continuation
  }

  /// The numbers of streams: of one device, and of all.
  private static let limits = (device: 4, all: 1_000)
  /// The number of events that may wait for a client.
  private static let buffer = 64

  /// Adds a client of a device; throws a problem if it has too many streams already.
  ///
  /// - Parameter first: the first event of the stream.
  func subscribe(_ device: String, first: HubEvent) throws(Problem) -> EventSubscription {
    let (events, stream) = AsyncStream.makeStream(of: HubEvent.self, bufferingPolicy: .bufferingOldest(Self.buffer))
    let number = next.add(1, ordering: .relaxed).newValue
    let isAdded = listeners.withLock { listeners in
      guard listeners.count < Self.limits.all,
        listeners.values.count(where: { $0.device == device }) < Self.limits.device
      else { return false }
      listeners[number] = Listener(device: device, stream: stream)
      return true
    }
    guard isAdded else {
      var problem = Problem(429, "rate", "A device may have \(Self.limits.device) event streams at once.")
      problem.retryAfter = 10
      throw problem
    }
    stream.yield(first)
    opening.yield()
    return EventSubscription(events: events) { [weak self] in self?.end(number) }
  }

  /// Sends an event to all clients. One whose buffer is full is disconnected; it asks for everything again when it returns.
  func send(_ event: HubEvent) {
    listeners.withLock { listeners in
      for (number, listener) in listeners {
        if case .enqueued = listener.stream.yield(event) { continue }
        listener.stream.finish()
        listeners[number] = nil
      }
    }
  }

  /// Ends the streams of a device after a last event.
  func end(device: String, with event: HubEvent) {
    listeners.withLock { listeners in
      for (number, listener) in listeners where listener.device == device {
        listener.stream.yield(event)
        listener.stream.finish()
        listeners[number] = nil
      }
    }
  }

  /// Ends all streams.
  func endAll() {
    listeners.withLock { listeners in
      for listener in listeners.values { listener.stream.finish() }
      listeners = [:]
    }
  }

  /// The devices with open streams.
  var devices: Set<String> { listeners.withLock { Set($0.values.map(\.device)) } }

  private func end(_ number: Int) {
    listeners.withLock { listeners in listeners.removeValue(forKey: number)?.stream.finish() }
  }
}
