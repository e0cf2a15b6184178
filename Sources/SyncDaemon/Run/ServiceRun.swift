import Logging
import Programs
import SyncKit

/// One run of the service with the same settings: waits for events, runs due passes, reports results.
///
/// Each pass is a separate task, so a remote that stalls delays no other. This actor has a dedicated thread, so it answers even
/// if all threads of the task pool are blocked.
actor ServiceRun {
  private let thread = Worker("service")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  private let workspace: Workspace
  /// True if the log names every file that a pass changes.
  private let isVerbose: Bool
  private let manager: ServiceManager.Store
  private let subscribers: Subscribers
  private let news: AsyncStream<StoreService.Event>.Continuation
  private let logger: Logger
  private let chosen: [RemoteConfiguration]
  private let start = ContinuousClock.now
  private var schedule: Schedule
  private var passes = RunningPasses()
  /// The events for the next run.
  private var later: [StoreService.Event] = []
  /// The open replicas by remote; the store has the empty name.
  private var replicas: [String: any Replica] = [:]
  private let opening = LockQueue()
  /// The tasks that listen for changes of the replicas.
  private var listeners: [String: Task<Void, Never>] = [:]
  private var timer: (end: Duration, wait: Task<Void, Never>)?
  private var patience: Task<Void, Never>?
  /// The last log message of each remote, which is not repeated.
  private var said: [String: [String]] = [:]
  private var results: [String: PassResult] = [:]
  private var pauses: Pauses
  /// The reasons why some remotes are not synced now, by `only-on` and `quiet-hours`.
  private var restraints: [String: String] = [:]
  private var restraintsEnd = Duration.zero
  private let recorder: PassRecorder
  /// The events that the log and the desktop show.
  private var alarms = EventDetector()
  private let outlet: EventOutlet
  /// Is called after a pass that changed something, once the history has it.
  private let recorded: @Sendable () async -> Void

  private static let storeName = ""
  /// The time that passes may continue when a command requests the lock or the settings have changed; then they stop after
  /// their current change.
  private static let courtesy = Duration.seconds(5)
  /// The time for which the state of this machine counts, at most.
  private static let restraintAge = Duration.seconds(30)

  init(
    _ workspace: Workspace, remotes: [String], isVerbose: Bool, manager: ServiceManager.Store, subscribers: Subscribers,
    exporter: Exporter,
    events: EventWorkers, news: AsyncStream<StoreService.Event>.Continuation,
    recorded: @escaping @Sendable () async -> Void
  ) {
    self.workspace = workspace
    self.isVerbose = isVerbose
    self.manager = manager
    self.subscribers = subscribers
    self.news = news
    self.recorded = recorded
    let daemon = workspace.configuration.daemon
    logger = Log.logger(workspace.configuration)
    recorder = workspace.recorder(exporter)
    outlet = EventOutlet(workspace.configuration, workspace.state, events)
    pauses = workspace.state.pauses
    chosen = workspace.configuration.remotes.filter { remotes.isEmpty || remotes.contains($0.name) }
    schedule = Schedule(
      chosen.map(\.name),
      Schedule.Timing(interval: daemon.interval, quiet: daemon.quiet, maxDelay: daemon.maxDelay), at: .zero)
  }

  /// The reason why `serve` returned.
  enum StopReason: Sendable {
    case stopped
    case reloaded(DaemonConfiguration)
    /// A command requests the lock, and is answered once it is free. The status is reported until then.
    case yielded(ControlRequest, status: JSON)
  }

  /// Serves until the task is cancelled, the settings have changed or the lock is requested, and all passes have ended.
  func serve(_ events: AsyncStream<StoreService.Event>) async throws -> StopReason {
    defer { end() }
    manager.ready("starting with \(chosen.count.counted("remote"))")
    manager.setWatched(true)
    logger.notice("serving \(chosen.map(\.name).joined(separator: ", "))")
    for other in await workspace.newForeignSyncs() { logger.warning("\(other.notice)") }
    return try await withThrowingDiscardingTaskGroup { group in
      var iterator = events.makeAsyncIterator()
      var ending: StopReason?
      while !Task.isCancelled {
        if let ending, passes.isIdle { return ending }
        if ending == nil {
          await readRestraints()
          try await beginPasses(in: &group)
        }
        guard let event = await iterator.next(isolation: self) else { return .stopped }
        if case .impatience = event {
          group.cancelAll()
          passes.cancel(at: now)
        } else if ending == nil {
          ending = handle(event)
        } else if !answers(event) {
          later.append(event)
        }
      }
      return .stopped
    }
  }

  /// Handles an event; returns the reason if the service must end this run.
  private func handle(_ event: StoreService.Event) -> StopReason? {
    switch event {
    case .asked(let request) where request.command == .yield:
      hurry()
      return .yielded(request, status: status)
    case .asked(let request) where request.command == .sync: sync(request)
    case .reload(let next):
      hurry()
      return next.map(StopReason.reloaded) ?? .stopped
    case .retirement: return .stopped
    default: _ = answers(event)
    }
    return nil
  }

  /// Handles an event that neither begins nor ends anything; returns false for other events.
  private func answers(_ event: StoreService.Event) -> Bool {
    switch event {
    case .change(let remote, let isWhole): schedule.change(remote.map { [$0] }, at: now, isWhole: isWhole)
    case .tick, .impatience, .returned: break
    case .pulse: if !passes.isStuck(at: now) { manager.isAlive() }
    case .inquiry: logger.notice("\(standing)")
    case .asked(let request): return answer(to: request)
    case .reload, .retirement: return false
    }
    return true
  }

  private var now: Duration { ContinuousClock.now - start }

  /// Wakes the loop when something is due. A timer that fires earlier is kept, because an unnecessary wake-up costs nothing,
  /// while a cancelled one keeps its memory until it would have fired.
  private func setTimer() {
    // What becomes due during a pause stays due.
    let time = Runtime.real.now()
    let resumption = pauses.nextEnd(after: time).map { now + .nanoseconds($0.nanoseconds - time.nanoseconds) }
    let due = schedule.next(excluding: passes.running.union(restingRemotes))
    let check = restraints.isEmpty ? nil : restraintsEnd
    guard let next = [due, resumption, check].compactMap(\.self).min() else { return }
    if let timer, timer.end > now, timer.end <= next { return }
    timer?.wait.cancel()
    let wait = Task { [news, duration = next - now] in
      // This wait may end by cancellation.
      if (try? await Task.sleep(for: duration)) != nil { news.yield(.tick) }
    }
    timer = (next, wait)
  }

  /// Gives the running passes a little time to end.
  private func hurry() {
    patience = Task { [news] in
      // This wait is cancelled when they have ended.
      if (try? await Task.sleep(for: Self.courtesy)) != nil { news.yield(.impatience) }
    }
  }

  private func end() {
    manager.setWatched(false)
    outlet.end()
    timer?.wait.cancel()
    patience?.cancel()
    for listener in listeners.values { listener.cancel() }
    for event in later + passes.unanswered.map(StoreService.Event.asked) { news.yield(event) }
  }
}

// Passes

extension ServiceRun {
  /// Begins a pass over each remote that is due or requested.
  private func beginPasses(in group: inout ThrowingDiscardingTaskGroup<any Error>) async throws {
    let wasIdle = passes.isIdle
    let begun = passes.begin(schedule.due(at: now).subtracting(restingRemotes), at: now)
    // The history names the time at which a pass began. One beside a running pass joins it.
    if wasIdle, !begun.isEmpty { try await workspace.beginRun() }
    for remote in chosen where begun.contains(remote.name) {
      group.addTask { try await self.pass(over: remote) }
    }
    setTimer()
  }

  /// Reads what `only-on` and `quiet-hours` say now, if a remote is due.
  private func readRestraints() async {
    guard restraintsEnd <= now, !schedule.due(at: now).isEmpty else { return }
    let read = await workspace.configuration.restraints(at: Runtime.real.now())
    for (remote, reason) in read.sorted(by: { $0.key < $1.key }) where restraints[remote] != reason {
      logger.info("\(remote) is not synced \(reason)")
    }
    restraints = read
    restraintsEnd = now + min(Self.restraintAge, workspace.configuration.daemon.interval)
  }

  private func pass(over remote: RemoteConfiguration) async throws {
    let began = now
    subscribers.send("began", ["remotes": [.string(remote.name)]])
    for report in await reports(on: remote) { try await finish(report, from: began) }
    news.yield(.tick)
  }

  private func finish(_ report: PassReport, from began: Duration) async throws {
    let pass = try await workspace.archive.passNumber()
    try recorder.record([report], pass: pass)
    schedule.record(report.result, of: report.remote, from: began, to: now, jitter: .random(in: 0...1))
    say(report)
    let isNews = report.didSomething || results[report.remote] != report.result
    results[report.remote] = report.result
    outlet.record([report], pass: pass)
    sound(alarms(of: report, pass: pass))
    if report.changedStore { schedule.change(at: now) }
    var told = ReportJSON.document(pass: pass, result: report.result, [report])
    told.add(["summary": .string(summary)])
    subscribers.send("ended", told)
    if isNews { await recorded() }
    manager.status(summary)
    try await workspace.beginRun()
    try await workspace.prune()
    for (request, reports) in passes.end(report) {
      let sorted = chosen.compactMap { remote in reports.first { $0.remote == remote.name } }
      var answer = ReportJSON.document(pass: pass, result: sorted.worst, sorted)
      answer.add([
        "exit-status": .integer(Int(sorted.worst.exitStatus)),
        "text": .array(
          sorted.flatMap { ReportText(report: $0, isVerbose: false, isDryRun: false).lines }.map(JSON.string)),
      ])
      request.answer(.consent(answer))
    }
  }

  private func reports(on remote: RemoteConfiguration) async -> [PassReport] {
    var options = workspace.options
    options.actionLimit = recorder.actionLimit(atLeast: 1_000)
    options.timeLimit = RunningPasses.limit
    return await workspace.sync([remote], options) { remote throws(SyncError) in try await self.open(remote) }
  }

  /// Returns the open store.
  func store() async throws(SyncError) -> any Replica { try await open(nil) }

  /// Returns the open replica of a remote, or of the store for nil; opens it on first use.
  private func open(_ remote: RemoteConfiguration?) async throws(SyncError) -> any Replica {
    let name = remote?.name ?? Self.storeName
    let replica = try await opening.withLock(name) { () throws(SyncError) in try await opened(remote, as: name) }
    await listen(to: replica, as: name)
    return replica
  }

  private func opened(_ remote: RemoteConfiguration?, as name: String) async throws(SyncError) -> any Replica {
    if let open = replicas[name] { return open }
    let replica: any Replica =
      if let remote {
        try await workspace.stack.open(remote)
      } else {
        SharedReplica(try await workspace.stack.openStore())
      }
    replicas[name] = replica
    return replica
  }

  /// Starts to listen to a replica; again if the last listener has ended, as it does when a disk is removed.
  private func listen(to replica: any Replica, as name: String) async {
    // If the capability is unknown, files count as incomplete, and the pass reports the error.
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

// Requests

extension ServiceRun {
  /// Answers a request that needs no pass; returns false for others.
  private func answer(to request: ControlRequest) -> Bool {
    switch request.command {
    case .status: request.answer(.consent(status))
    case .pause, .resume: request.answer(setPaused(request))
    case .watch:
      subscribers.add(request)
      request.answer(.consent(status))
    case .sync, .yield: return false
    }
    return true
  }

  /// Requests passes, whose reports are the answer.
  private func sync(_ request: ControlRequest) {
    switch remotes(of: request) {
    case .failure(let mistake): request.answer(.refusal(mistake.message))
    case .success(let names): passes.add(request, for: Set(names))
    }
  }

  /// The remotes that a request names; all if it names none.
  private func remotes(of request: ControlRequest) -> Result<[String], ControlMistake> {
    let names = chosen.map(\.name)
    guard let unknown = request.remotes.first(where: { !names.contains($0) }) else {
      return .success(request.remotes.isEmpty ? names : request.remotes)
    }
    return .failure(ControlMistake("\(UnknownRemote(unknown, among: names.sorted()))"))
  }

  /// Pauses or resumes remotes, also for the next run of the service. Returns the answer.
  private func setPaused(_ request: ControlRequest) -> JSON {
    do throws(SyncError) {
      let names = try remotes(of: request).mapError { SyncError(.notFound, $0.message) }.get()
      let end = request.seconds.map { seconds in
        Timestamp(nanoseconds: Runtime.real.now().nanoseconds + Int64(min(max(0, seconds), 1e9) * 1e9))
      }
      if request.command == .pause { pauses.pause(names, until: end) } else { pauses.resume(names) }
      try workspace.state.record(pauses)
    } catch { return .refusal(error.message) }
    subscribers.send(request.command == .pause ? "paused" : "resumed")
    return .consent()
  }

  /// The remotes that are paused now.
  private var pausedRemotes: Set<String> {
    let time = Runtime.real.now()
    return Set(chosen.map(\.name).filter { pauses.contains($0, at: time) })
  }

  /// The remotes that are not synced now unless a command asks for it.
  private var restingRemotes: Set<String> { pausedRemotes.union(restraints.keys) }

  private var status: JSON {
    [
      "paused": .boolean(!chosen.isEmpty && pausedRemotes.count == chosen.count), "summary": .string(summary),
      "remotes": .array(
        chosen.map { remote in
          [
            "name": .string(remote.name), "result": results[remote.name].map { .string($0.word) } ?? .null,
            "paused": .boolean(pausedRemotes.contains(remote.name)),
            "waits": restraints[remote.name].map(JSON.string) ?? .null,
            "due-in": schedule.time(of: remote.name).map { .number(max(0, ($0 - now) / .seconds(1))) } ?? .null,
          ]
        }),
    ]
  }
}

// Reports

extension ServiceRun {
  /// Logs the actions of a pass, and new errors.
  private func say(_ report: PassReport) {
    let lines = ReportText(report: report, isVerbose: isVerbose, isDryRun: false).lines
    let standing =
      report.didSomething ? [] : ["\(report.result)", report.failure?.explanation ?? ""] + lines.dropFirst()
    guard report.didSomething || said[report.remote] != standing else { return }
    let isFirst = said[report.remote] == nil
    said[report.remote] = standing
    guard report.didSomething || report.result != .synced || !isFirst else { return }
    let text = Logger.Message(stringLiteral: lines.joined(separator: "\n"))
    logger.log(level: report.result <= .waiting ? .info : .warning, text)
  }

  /// The new states that need the user's attention.
  private func alarms(of report: PassReport, pass: Int) -> [SyncEvent] {
    let events = alarms.events(
      of: report, workspace.state.status(of: report.remote), pass: pass,
      staleAfter: workspace.configuration.daemon.staleAfter, at: Runtime.real.now())
    return events.filter { [.conflict, .held, .stale].contains($0.kind) }
  }

  /// Shows alarms to the user. The log already has the conflicts and held deletions of the report.
  private func sound(_ alarms: [SyncEvent]) {
    for alarm in alarms {
      if alarm.kind == .stale { logger.warning("\(alarm.message)") }
      if workspace.configuration.daemon.notify { Desktop().show(alarm.message) }
    }
  }

  /// The state of each remote, one line each, with the time of its next pass.
  private var standing: String {
    let lines = chosen.map { remote in
      let next = schedule.time(of: remote.name).map { "next in \(max(.zero, $0 - now).components.seconds) s" }
      let state = results[remote.name]?.word ?? "not checked yet"
      let rest = pausedRemotes.contains(remote.name) ? "paused" : restraints[remote.name].map { "waiting \($0)" }
      return "\(remote.name): \(state), \(rest ?? next ?? "not scheduled")"
    }
    return lines.joined(separator: "\n")
  }

  /// The state as one line for people.
  private var summary: String {
    let news = chosen.compactMap { remote in
      switch results[remote.name] {
      case nil: "\(remote.name): not checked yet"
      case .some(let result) where result > .waiting: "\(remote.name): \(result.word)"
      case .some: nil
      }
    }
    return news.isEmpty ? "\(chosen.count.counted("remote")) in sync" : news.joined(separator: ", ")
  }
}
