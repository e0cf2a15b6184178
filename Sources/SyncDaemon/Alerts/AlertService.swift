import Logging
import OrgKit
import Programs
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Shows the alerts of a store while the service serves it: each minute those that have become due.
///
/// A minute is short enough for naps of the machine, changes of its clock and zone, and edits; files are read only after a change.
/// This actor has a dedicated thread, because it reads the store.
actor AlertService {
  private let thread = Worker("alerts")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  private let workspace: Workspace
  private let settings: AlertSettings
  private let notifiers: [any Notifier]
  private let logger: Logger
  private var ledger: AlertLedger?
  /// The record as it was saved.
  private var saved = AlertLedger()
  private var plan: Plan?
  /// The last error, which is not logged again.
  private var problem: String?

  /// The alerts of some time, with everything on which they depend.
  private struct Plan {
    var listing: StoreListing
    var offset: Int
    var start: Int
    var end: Int
    var alerts: [OrgAlert]
  }

  /// The time for which alerts are planned, in seconds.
  private static let horizon = 2 * 86_400
  /// The time is saved this often, in seconds, even if nothing was shown.
  private static let saving = 900

  private init(_ workspace: Workspace, _ notifiers: [any Notifier]) {
    self.workspace = workspace
    self.notifiers = notifiers
    settings = workspace.configuration.alerts
    logger = Log.logger(workspace.configuration)
  }

  /// Calls a function, and shows the alerts of a store meanwhile.
  ///
  /// - Parameter others: Receivers in addition to the desktop or the command of the settings.
  static func during<Value>(
    _ workspace: Workspace, _ others: [any Notifier], _ body: () async throws -> Value
  ) async throws -> Value {
    let notifiers = notifiers(workspace.configuration) + others
    guard workspace.configuration.alerts.on, !notifiers.isEmpty, (try? workspace.configuration.store.files()) != nil
    else {
      return try await body()
    }
    let service = AlertService(workspace, notifiers)
    let work = Task { await service.run() }
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    work.cancel()
    await work.value
    return try result.get()
  }

  private static func notifiers(_ configuration: DaemonConfiguration) -> [any Notifier] {
    let command = configuration.alerts.command
    if !command.isEmpty { return [CommandNotifier(command: command)] }
    return DesktopNotifier().map { [$0] } ?? []
  }

  private func run() async {
    while !Task.isCancelled {
      await showDue()
      // This wait ends with the service.
      let minute: Int64 = 60_000_000_000
      try? await Task.sleep(for: .nanoseconds(minute - Runtime.real.now().nanoseconds % minute))
    }
  }

  /// Shows the alerts that are due now. An error is logged once, and the next minute tries again.
  private func showDue() async {
    do {
      let failure = try await show(at: Int(Runtime.real.now().seconds))
      report(failure)
    } catch is CancellationError {
      return
    } catch {
      report("cannot show alerts: \((error as? SyncError)?.explanation ?? "\(error)")")
    }
  }

  private func report(_ problem: String?) {
    if let problem, problem != self.problem { logger.error("\(problem.printable)") }
    self.problem = problem
  }

  /// Returns the error of a receiver.
  private func show(at now: Int) async throws -> String? {
    tzset()
    let zone = OrgZone.local
    if ledger == nil { saved = try workspace.state.alertLedger() }
    var ledger = self.ledger ?? saved
    let alerts = try await alerts(from: ledger.start(at: now), at: now, zone)
    let rings = ledger.round(
      at: now, alerts, snoozes: try workspace.state.alertSnoozes(), zone: zone, isQuiet: isQuiet(at: now, zone))
    var failure: String?
    for message in AlertMessage.messages(rings, showsTitles: settings.showTitles) {
      ledger.begin(message.rings)
      try save(ledger)
      try AlertFailpoint.begun.reach()
      let problem = await problem(showing: message)
      try AlertFailpoint.shown.reach()
      if problem == nil { ledger.finish(message.rings) }
      try save(ledger)
      try AlertFailpoint.recorded.reach()
      failure = failure ?? problem
      try Task.checkCancellation()
    }
    if ledger.differs(from: saved) || now - (saved.time ?? 0) >= Self.saving || now < saved.time ?? now {
      try save(ledger)
    }
    self.ledger = ledger
    return failure
  }

  private func save(_ ledger: AlertLedger) throws {
    try workspace.state.record(ledger)
    (saved, self.ledger) = (ledger, ledger)
  }

  /// Returns the error of all receivers; nil if one of them showed the message, or none can.
  private func problem(showing message: AlertMessage) async -> String? {
    var failure: String?
    var isShown = false
    for notifier in notifiers where notifier.isReady {
      do {
        try await notifier.show(message)
        isShown = true
      } catch { failure = "\(notifier.name) cannot show an alert: \(error)" }
    }
    return isShown ? nil : failure
  }

  private func isQuiet(at now: Int, _ zone: OrgZone) -> Bool {
    let minute = zone.moment(at: now).minute
    return settings.quietHours.contains { $0.contains(minuteOfDay: minute) }
  }

  /// The alerts from a time on, from the files as they are now.
  private func alerts(from start: Int, at now: Int, _ zone: OrgZone) async throws -> [OrgAlert] {
    let listing = try workspace.configuration.store.files().list()
    let offset = zone.moment(at: now).wallMinutes - now / 60
    if let plan, plan.listing.stamps == listing.stamps, plan.offset == offset, plan.start <= start, now <= plan.end {
      return plan.alerts
    }
    let variables = try await OrgVariables.effective(workspace.configuration) { try await workspace.desktops() }
    let items = try StoreItems(workspace.configuration, variables, listing, at: zone.moment(at: now))
    // A later record may need alerts from an earlier time, after the clock was set back.
    let (first, end) = (start - Self.horizon, now + Self.horizon)
    let alerts = try items.alerts(settings, zone: zone, after: first, to: end)
    plan = Plan(listing: listing, offset: offset, start: first, end: end, alerts: alerts)
    return alerts
  }
}
