import ArchiveSQLite
import Logging
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the events of passes and sends them to the receivers in the settings. The sent events are recorded in the state folder, so
/// that `--once` and the service report each state once.
package struct EventOutlet: Sendable {
  /// The maximum number of events for single files in a pass.
  fileprivate static let filesPerPass = 100

  private let state: StateFolder
  private let staleAfter: Duration
  private let hooks: [Hook]
  private let logger: Logger

  /// A receiver and the events that it wants.
  private struct Hook: Sendable {
    let settings: EventSettings
    let queue: EventWorkers.Queue

    func wants(_ event: SyncEvent) -> Bool {
      settings.event.kinds.contains(event.kind) && settings.remote ?? event.remote == event.remote
    }
  }

  /// What the program remembers about events.
  fileprivate struct Memory: Codable, Hashable {
    var detector = EventDetector()
    var rate = EventRate()
  }

  init(_ configuration: DaemonConfiguration, _ state: StateFolder, _ workers: EventWorkers) {
    self.state = state
    staleAfter = configuration.daemon.staleAfter
    let logger = Log.logger(configuration)
    self.logger = logger
    hooks = configuration.events.map { settings in
      let target = EventTarget(settings: settings, sendmail: configuration.daemon.sendmail.path)
      return Hook(settings: settings, queue: workers.start(target, logger))
    }
  }

  /// Sends the events of passes that have ended. It waits for no receiver; an error of the state folder is logged.
  package func record(_ reports: [PassReport], pass: Int) {
    guard !hooks.isEmpty else { return }
    let now = Runtime.real.now()
    var memory = memory
    let events = reports.flatMap {
      memory.detector.events(of: $0, state.status(of: $0.remote), pass: pass, staleAfter: staleAfter, at: now)
    }
    var due: [(Hook, SyncEvent)] = []
    for (index, hook) in hooks.enumerated() {
      for event in events where hook.wants(event) {
        due += memory.admitted(event, hook.settings, index).map { (hook, $0) }
      }
      due += memory.rate.release(prefix: "\(index) ", limit: hook.settings.rateLimit, at: now).map { (hook, $0) }
    }
    // Recorded first: after a crash an event is missing instead of repeated with every start.
    record(memory)
    for (hook, event) in due { hook.queue.add(event) }
  }

  /// Ends the queues after their events.
  func end() { for hook in hooks { hook.queue.finish() } }

  private var memory: Memory {
    guard let bytes = try? StateFile(state.file("events"), O_RDONLY).read(atMost: 1 << 24) else { return Memory() }
    // An unreadable record is like none: states are reported once more.
    return (try? JSONDecoder().decode(Memory.self, from: Data(bytes))) ?? Memory()
  }

  private func record(_ memory: Memory) {
    guard memory != self.memory else { return }
    do {
      try StateFile.replace(state.file("events"), with: [UInt8](try JSONEncoder().encode(memory)))
    } catch {
      logger.error("cannot record the events: \((error as? SyncError)?.explanation ?? "\(error)")")
    }
  }
}

extension EventOutlet.Memory {
  fileprivate mutating func admitted(_ event: SyncEvent, _ settings: EventSettings, _ index: Int) -> [SyncEvent] {
    if settings.perFile { return event.split(limit: EventOutlet.filesPerPass) }
    let key = "\(index) \(event.kind.rawValue) \(event.remote)"
    return rate.admit(event, as: key, limit: settings.rateLimit).map { [$0] } ?? []
  }
}
