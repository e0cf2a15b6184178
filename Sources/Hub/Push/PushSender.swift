internal import CurlHTTP
package import Logging
import SyncDaemon
package import SyncKit
internal import Synchronization
internal import WebPush

/// Sends the queued reminders to push services, each until its service has it or it is worthless.
package struct PushSender: Sendable {
  private let hub: HubAPI
  private var database: HubDatabase { hub.database }
  private let contact: String?
  private let logger: Logger
  private let signal: PushSignal
  /// libcurl is loaded with the first message.
  private let client: LazyClient
  private let now: @Sendable () -> Timestamp

  /// The number of messages that are sent at once.
  private static let parallelism = 4
  /// The time limit of one attempt.
  private static let timeout = Duration.seconds(30)

  package init(
    _ hub: HubAPI, logger: Logger, now: @escaping @Sendable () -> Timestamp = { Runtime.real.now() }
  ) {
    (self.hub, signal, self.logger, self.now) = (hub, hub.pushSignal, logger, now)
    contact = hub.pushContact
    client = LazyClient()
  }

  /// Sends until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      do { try await sendDue() } catch {
        logger.error("cannot read the reminders that wait to be sent: \(error.message.printable)")
      }
      await wait()
    }
  }

  /// Sends all messages that are due.
  func sendDue() async throws(SyncError) {
    while !Task.isCancelled {
      let due = try database.duePushes(at: now(), atMost: Self.parallelism)
      if due.isEmpty { return }
      let outcomes = try await mapConcurrently(due, atMost: Self.parallelism) { push throws(SyncError) in
        await outcome(ofSending: push)
      }
      for (push, outcome) in zip(due, outcomes) { try conclude(push, outcome) }
    }
  }

  /// Waits for a new message, or until the next one is due.
  private func wait() async {
    let next = (try? database.nextPush()).flatMap(\.self).map { max(1, $0 - now().seconds) }
    let timer = Task {
      // After an error, too, the queue is looked at again.
      try await Task.sleep(for: .seconds(next ?? 3_600))
      signal.send()
    }
    await signal.next()
    timer.cancel()
  }

  private func outcome(ofSending push: WaitingPush) async -> PushOutcome {
    do {
      if push.attempts > 0, try await isOver(push) { return .needless }
      let response = try await client.value.send(try request(push))
      let outcome = PushOutcome(
        status: response.status, retryAfter: response.header("Retry-After"), date: response.header("Date"))
      if case .refused(let status) = outcome {
        let reason = (try? await response.bytes()).map { String(decoding: $0.prefix(200), as: UTF8.self) } ?? ""
        logger.error(
          "the push service of a device refused a reminder with status \(status): \(reason.printable); it is dropped")
      }
      return outcome
    } catch { return .later(seconds: nil) }
  }

  /// True if a reminder that could not be sent at its time is over by now.
  private func isOver(_ push: WaitingPush) async throws -> Bool {
    guard let shown = ShownReminder(message: push.text) else { return false }
    return try await !hub.over([shown], at: now()).isEmpty
  }

  private func request(_ push: WaitingPush) throws -> HTTPRequest {
    let (subscription, time) = (push.subscription, now().seconds)
    let authorization = try database.senderKey().authorization(
      for: subscription.endpoint, contact: contact, at: time)
    return HTTPRequest(
      "POST", subscription.endpoint,
      headers: [
        HTTPHeader("Authorization", authorization), HTTPHeader("TTL", "\(max(0, push.expires - time))"),
        HTTPHeader("Urgency", "high"), HTTPHeader("Topic", push.topic),
        HTTPHeader("Content-Encoding", "aes128gcm"), HTTPHeader("Content-Type", "application/octet-stream"),
      ],
      // A message that is sent twice has the same topic, and is shown once.
      body: HTTPBytes(try PushEncryption.encrypt(push.text, for: subscription)), answerLimit: 1 << 16,
      timeout: Self.timeout, mayBeRepeated: true)
  }

  private func conclude(_ push: WaitingPush, _ outcome: PushOutcome) throws(SyncError) {
    switch outcome {
    case .delivered, .refused, .needless: try database.finish(push)
    case .gone: try database.forget(push.subscription)
    case .later(let seconds):
      // A service that asks for no pause would be asked without end.
      let pause = max(PushOutcome.pause(after: push.attempts), seconds ?? 0)
      try database.postpone(push, until: now().seconds + pause)
    }
  }
}

/// Wakes the sender when a message was queued.
final class PushSignal: Sendable {
  private let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  func send() { continuation.yield() }

  /// Waits for a signal that was sent since the last call, or until the task is cancelled. One task may wait at a time.
  func next() async { for await _ in signals { return } }
}

/// An HTTP client that is made when it is first needed.
private final class LazyClient: Sendable {
  private let made = Mutex<HTTPClient?>(nil)

  var value: HTTPClient {
    made.withLock { made in
      if let made { return made }
      var configuration = HTTPClient.Configuration(userAgent: "syncd/\(ProgramVersion.number)")
      configuration.connections = 4
      let client = HTTPClient(configuration)
      made = client
      return client
    }
  }
}
