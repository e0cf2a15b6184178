package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// When the service syncs a remote by itself: `only-on` and `quiet-hours`. Pure.
package struct Restraint: Sendable {
  /// The states of this machine in which the remote is synced; all of them must hold.
  package let conditions: [SyncCondition]
  private let quietHours: [ClockSpan]

  /// Takes the settings of a remote, or those of `[syncd]` where the remote has none.
  package init(_ remote: RemoteSettings, _ daemon: DaemonSettings) {
    conditions = remote.onlyOn ?? daemon.onlyOn
    quietHours = remote.quietHours ?? daemon.quietHours
  }

  /// True if the remote may be synced at any time.
  package var isNone: Bool { conditions.isEmpty && quietHours.isEmpty }

  /// Returns why the remote is not synced now, as a clause; nil if it is.
  package func reason(at time: Timestamp, _ machine: MachineState) -> String? {
    let minute = LocalClock(time).minuteOfDay
    if let span = quietHours.first(where: { $0.contains(minuteOfDay: minute) }) {
      return "until \(span.endText), the end of `quiet-hours`"
    }
    return conditions.first { !machine.allows($0) }.map {
      switch $0 {
      case .mains: "until this machine has mains power, by `only-on`"
      case .unmetered: "until the network is not metered, by `only-on`"
      }
    }
  }
}

extension DaemonConfiguration {
  /// Returns why the service does not sync some remotes by itself now.
  package func restraints(at time: Timestamp) async -> [String: String] {
    let all = remotes.map { ($0.name, Restraint($0.settings, daemon)) }.filter { !$0.1.isNone }
    guard !all.isEmpty else { return [:] }
    let machine = await MachineProbe(variables: ProcessInfo.processInfo.environment)
      .state(for: Set(all.flatMap(\.1.conditions)))
    return Dictionary(
      all.compactMap { name, restraint in restraint.reason(at: time, machine).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }
}
