import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What this machine says about its power and its network; nil for what nothing on it knows.
package struct MachineState: Hashable, Sendable {
  package var isOnBattery: Bool?
  package var isMetered: Bool?

  package init(isOnBattery: Bool? = nil, isMetered: Bool? = nil) {
    (self.isOnBattery, self.isMetered) = (isOnBattery, isMetered)
  }

  /// Returns true if the condition holds, or nothing on this machine knows: then it has no effect.
  func allows(_ condition: SyncCondition) -> Bool {
    switch condition {
    case .mains: isOnBattery != true
    case .unmetered: isMetered != true
    }
  }

  /// Returns true if this machine knows whether the condition holds.
  package func knows(_ condition: SyncCondition) -> Bool {
    switch condition {
    case .mains: isOnBattery != nil
    case .unmetered: isMetered != nil
    }
  }
}

/// Asks UPower and NetworkManager over the system bus, with systemd's `busctl`, and the kernel where UPower is not running.
package struct MachineProbe: Sendable {
  /// The environment, which can name another system bus.
  private let variables: [String: String]
  /// The folder in which the kernel lists mains adapters and batteries.
  private let powerSupplies: String

  package init(variables: [String: String], powerSupplies: String = "/sys/class/power_supply") {
    (self.variables, self.powerSupplies) = (variables, powerSupplies)
  }

  /// Returns the parts of the state that the conditions depend on.
  package func state(for conditions: Set<SyncCondition>) async -> MachineState {
    var state = MachineState()
    if conditions.contains(.mains) {
      state.isOnBattery = await reported("UPower", "OnBattery").map { $0 == "b true" } ?? isOnBatteryByKernel
    }
    if conditions.contains(.unmetered) {
      state.isMetered = await reported("NetworkManager", "Metered").flatMap(isMetered)
    }
    return state
  }

  /// Returns what NetworkManager's `NMMetered` says: yes, no, and its guesses of both; nil if it is unknown.
  private func isMetered(_ answer: String) -> Bool? {
    switch answer {
    case "u 1", "u 3": true
    case "u 2", "u 4": false
    default: nil
    }
  }

  /// Returns a property of a service of freedesktop.org as busctl writes it, such as `b true`; nil if the service, the bus or
  /// busctl is missing.
  private func reported(_ service: String, _ property: String) async -> String? {
    let name = "org.freedesktop.\(service)"
    var command = BoundedCommand(
      ["busctl", "--system", "get-property", name, "/org/freedesktop/\(service)", name, property], variables: variables)
    command.timeLimit = .seconds(5)
    command.explainsFailures = true
    guard let output = try? await command.output() else { return nil }
    return String(decoding: output.filter { $0 != 0x0A }, as: UTF8.self)
  }

  /// True if there is a mains adapter and none of them has power; nil if the kernel lists none.
  private var isOnBatteryByKernel: Bool? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: powerSupplies)) ?? []
    let adapters = names.map { "\(powerSupplies)/\($0)" }.filter { line("\($0)/type") == "Mains" }
    guard !adapters.isEmpty else { return nil }
    return !adapters.contains { line("\($0)/online") == "1" }
  }

  /// Returns the first line of a file of the kernel; nil if it cannot be read.
  private func line(_ path: String) -> String? {
    (try? LocalFile.read(path)).map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
  }
}
