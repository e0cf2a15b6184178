import Logging
import SyncKit

/// The service with one reading of the settings: waits for news, passes over what is due, tells how it went.
actor ServiceRun {
  private let workspace: Workspace
  private let manager: ServiceManager
  private let subscribers: Subscribers
  private let news: AsyncStream<Service.Event>.Continuation
  private let logger: Logger
  private let chosen: [RemoteConfiguration]
  private let start = ContinuousClock.now
  private var schedule: Schedule
  /// The open replicas by remote; the store is under the empty name.
  private var replicas: [String: any Replica] = [:]
  /// What listens for changes of them.
  private var listeners: [String: Task<Void, Never>] = [:]
  private var timer: (end: Duration, wait: Task<Void, Never>)?
  /// The last thing that was said of each remote, which is not said again.
  private var said: [String: [String]] = [:]
  private var results: [String: PassResult] = [:]
  private var isPaused = false
  private let recorder: PassRecorder
  private var alarms: Alarms

  private static let storeName = ""

  init(
    _ workspace: Workspace, remotes: [String], manager: ServiceManager, subscribers: Subscribers, exporter: Exporter,
    news: AsyncStream<Service.Event>.Continuation
  ) {
    self.workspace = workspace
    self.manager = manager
    self.subscribers = subscribers
    self.news = news
    let daemon = workspace.configuration.daemon
    logger = Log.logger(daemon)
    recorder = workspace.recorder(exporter)
    alarms = Alarms(staleAfter: daemon.staleAfter)
    chosen = workspace.configuration.remotes.filter { remotes.isEmpty || remotes.contains($0.name) }
    schedule = Schedule(
      chosen.map(\.name),
      Schedule.Timing(interval: daemon.interval, quiet: daemon.quiet, maxDelay: daemon.maxDelay), at: .zero)
  }

  /// Why it no longer serves.
  enum Ending: Sendable {
    case stopped
    case reloaded(DaemonConfiguration)
    /// A command requests the lock, and is answered once it is free.
    case yielded(ControlRequest)
  }

  /// Serves until the task is cancelled, the settings have changed or the lock is wanted.
  func serve(
    _ events: AsyncStream<Service.Event>, reload: () throws -> DaemonConfiguration
  ) async throws -> Ending {
    defer { end() }
    manager.ready("starting with \(chosen.count.counted("remote"))")
    logger.notice("serving \(chosen.map(\.name).joined(separator: ", "))")
    var iterator = events.makeAsyncIterator()
    while !Task.isCancelled {
      let due = isPaused ? [] : schedule.due(at: now)
      if !due.isEmpty {
        try await pass(over: due)
        // Who waits for the lock must not wait for a second pass.
        news.yield(.tick)
      } else {
        setTimer()
      }
      switch await iterator.next(isolation: self) {
      case .change(let remote, let isWhole): schedule.change(remote.map { [$0] }, at: now, isWhole: isWhole)
      case .tick: break
      case .asked(let request) where request.command == .yield: return .yielded(request)
      case .asked(let request): request.answer(try await answer(to: request))
      case .reload:
        manager.reloading()
        if let next = read(reload) { return .reloaded(next) }
        manager.ready(summary)
      case .inquiry: logger.notice("\(standing)")
      case .retirement, nil: return .stopped
      }
    }
    return .stopped
  }

  private var now: Duration { ContinuousClock.now - start }

  /// The new settings, or nil if there are mistakes in them: then the old ones stay.
  private func read(_ reload: () throws -> DaemonConfiguration) -> DaemonConfiguration? {
    do { return try reload() } catch {
      logger.error("cannot reload the settings, so the old ones stay in effect: \(error)")
      return nil
    }
  }

  /// Wakes the loop when something is due. A wait that ends earlier is left as it is, since waking for nothing costs nothing,
  /// while one that is cancelled keeps its memory until it would have ended.
  private func setTimer() {
    // What is due while nothing is done stays due.
    guard !isPaused, let next = schedule.next else { return }
    if let timer, timer.end > now, timer.end <= next { return }
    timer?.wait.cancel()
    let wait = Task { [news, duration = next - now] in
      // Being cancelled is how this wait may end.
      if (try? await Task.sleep(for: duration)) != nil { news.yield(.tick) }
    }
    timer = (next, wait)
  }

  private func end() {
    timer?.wait.cancel()
    for listener in listeners.values { listener.cancel() }
  }
}

// Passing

extension ServiceRun {
  @discardableResult
  private func pass(over due: Set<String>) async throws -> [PassReport] {
    let began = now
    subscribers.send("began", ["remotes": .array(due.sorted().map(JSON.string))])
    let reports = await reports(on: due)
    let pass = try await workspace.archive.passNumber()
    try recorder.record(reports, pass: pass)
    for report in reports {
      schedule.note(report.result, of: report.remote, from: began, to: now, jitter: .random(in: 0...1))
      say(report)
      results[report.remote] = report.result
      sound(alarms.news(of: report, workspace.state.status(of: report.remote), at: World.real.now()))
    }
    var told = ReportJSON.document(pass: pass, result: reports.worst, reports)
    told.add(["summary": .string(summary)])
    subscribers.send("ended", told)
    try await workspace.beginRun()
    try await workspace.prune()
    if reports.contains(where: \.changedStore) { schedule.change(at: now) }
    manager.status(summary)
    return reports
  }

  private func reports(on due: Set<String>) async -> [PassReport] {
    var options = workspace.options
    options.actionLimit = recorder.actionLimit(atLeast: 1_000)
    return await workspace.sync(chosen.filter { due.contains($0.name) }, options) { remote throws(SyncError) in
      try await self.open(remote)
    }
  }

  /// A remote, or the store if there is none, as it was opened first.
  private func open(_ remote: RemoteConfiguration?) async throws(SyncError) -> any Replica {
    let name = remote?.name ?? Self.storeName
    let replica = if let open = replicas[name] { open } else { try await opened(remote) }
    replicas[name] = replica
    await listen(to: replica, as: name)
    return replica
  }

  private func opened(_ remote: RemoteConfiguration?) async throws(SyncError) -> any Replica {
    if let remote { try await workspace.stack.open(remote) } else { try await workspace.stack.openStore() }
  }

  /// Listens to a replica from now on; again if what listened before has ended, as it does with a disk that went away.
  private func listen(to replica: any Replica, as name: String) async {
    // An unknown capability counts as incomplete, and the pass reports why.
    let isWhole = (try? await replica.capabilities().notifiesWhenComplete) ?? false
    guard listeners[name] == nil else { return }
    let changes = replica.changes()
    listeners[name] = Task { [news] in
      for await _ in changes { news.yield(.change(remote: name == Self.storeName ? nil : name, isWhole: isWhole)) }
      self.stopListening(to: name)
    }
  }

  private func stopListening(to name: String) { listeners[name] = nil }
}

// Answering

extension ServiceRun {
  private func answer(to request: ControlRequest) async throws -> JSON {
    let names = Set(chosen.map(\.name))
    if let unknown = request.remotes.first(where: { !names.contains($0) }) {
      return .refusal("there is no remote \"\(unknown)\"; the remotes are \(names.sorted().joined(separator: ", "))")
    }
    switch request.command {
    case .status: return .consent(status)
    case .sync:
      let reports = try await pass(over: request.remotes.isEmpty ? names : Set(request.remotes))
      return .consent(
        ReportJSON.document(pass: try await workspace.archive.passNumber(), result: reports.worst, reports))
    case .pause: setPaused(true)
    case .resume: setPaused(false)
    case .watch:
      subscribers.add(request)
      return .consent(status)
    case .yield: break
    }
    return .consent()
  }

  private func setPaused(_ isPaused: Bool) {
    self.isPaused = isPaused
    subscribers.send(isPaused ? "paused" : "resumed")
  }

  private var status: JSON {
    [
      "paused": .boolean(isPaused), "summary": .string(summary),
      "remotes": .array(
        chosen.map { remote in
          [
            "name": .string(remote.name), "result": results[remote.name].map { .string($0.word) } ?? .null,
            "due-in": schedule.time(of: remote.name).map { .number(max(0, ($0 - now) / .seconds(1))) } ?? .null,
          ]
        }),
    ]
  }
}

// Telling

extension ServiceRun {
  /// Logs what a pass did, and new errors.
  private func say(_ report: PassReport) {
    let lines = ReportText(report: report, isVerbose: false, isDryRun: false).lines
    let standing =
      report.didSomething ? [] : ["\(report.result)", report.failure?.explanation ?? ""] + lines.dropFirst()
    guard report.didSomething || said[report.remote] != standing else { return }
    let isFirst = said[report.remote] == nil
    said[report.remote] = standing
    guard report.didSomething || report.result != .synced || !isFirst else { return }
    let text = Logger.Message(stringLiteral: lines.joined(separator: "\n"))
    logger.log(level: report.result <= .waiting ? .info : .warning, text)
  }

  /// Tells a person what they should hear of without having asked.
  private func sound(_ alarms: [String]) {
    for alarm in alarms {
      logger.warning("\(alarm)")
      if workspace.configuration.daemon.notify { Desktop().show(alarm) }
    }
  }

  /// How each remote is, a line each, and when it comes next.
  private var standing: String {
    let lines = chosen.map { remote in
      let next = schedule.time(of: remote.name).map { "next in \(max(.zero, $0 - now).components.seconds) s" }
      let state = results[remote.name]?.word ?? "not checked yet"
      return "\(remote.name): \(state), \(isPaused ? "paused" : next ?? "not scheduled")"
    }
    return lines.joined(separator: "\n")
  }

  /// One line for people.
  private var summary: String {
    let troubled = chosen.map(\.name).filter { results[$0] ?? .synced > .waiting }
    guard !troubled.isEmpty else { return "\(chosen.count.counted("remote")) in sync" }
    return troubled.map { "\($0): \(results[$0]?.word ?? "")" }.joined(separator: ", ")
  }
}
