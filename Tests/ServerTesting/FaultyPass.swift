import ProgramTesting
public import SyncKit
import SyncKitTesting

/// Changes to the remote that a test makes without the program under test.
public protocol RemoteEditor: Sendable {
  func put(_ text: String, at name: String) async throws
  func remove(_ name: String) async throws
  /// The texts of all user files by name.
  func texts() async throws -> [String: String]
}

/// A device and a remote that differ in every way, for one pass with a failure.
public struct FaultyPass: Sendable {
  public let device: TestDevice
  /// The device with the connection of the pass that has the failure.
  private let troubled: TestDevice
  private let remote: any RemoteEditor
  private let before: [String: String]
  /// The expected final state of both sides.
  private let expected: [String: String]

  /// - Parameters:
  ///   - device: The device, with a connection that waits as long as a busy server needs.
  ///   - impatient: The storage of the pass that has the failure, with short timeouts; by default that of the device.
  ///   - batch: The number of further edited files, for remotes with batches.
  public init(
    _ device: TestDevice, impatient: (any Storage)? = nil, _ remote: any RemoteEditor, batch: Int = 0
  ) async throws {
    self.device = device
    troubled = impatient.map(device.with) ?? device
    self.remote = remote
    let batch = (0..<batch).map { "batch \($0)" }
    for name in ["same", "ours", "theirs", "gone here", "gone there", "both"] + batch {
      try await device.write("* \(name)\n", to: "\(name).org")
    }
    for _ in 0..<2 { try await Self.agree(device) }
    var expected = [
      "same.org": "* same\n", "ours.org": "* ours\nedited here\n", "theirs.org": "* theirs\nedited there\n",
      "both.org": "* both\nadded here\nadded there\n", "new/here.org": "* new here\n", "new/empty.org": "",
      "new there.org": "* new there\n",
    ]
    for name in batch { expected["\(name).org"] = "* \(name)\nedited\n" }
    self.expected = expected
    try await device.write("* both\nadded here\n", to: "both.org")
    for name in ["ours", "new/here", "new/empty"] + batch {
      try await device.write(expected["\(name).org"] ?? "", to: "\(name).org")
    }
    try await device.remove("gone here.org")
    try await remote.put("* both\nadded there\n", at: "both.org")
    for name in ["theirs.org", "new there.org"] { try await remote.put(expected[name] ?? "", at: name) }
    try await remote.remove("gone there.org")
    before = try await device.texts()
  }

  private static func agree(_ device: TestDevice) async throws {
    let report = await device.sync()
    guard report.result == .synced else { throw TestFailure("before the fault: \(report)") }
  }

  /// The pass that has the failure.
  public func run() async -> PassReport { await troubled.sync() }

  /// Requires that nothing of the store is lost or shortened, except what the remote really lacks or has changed.
  public func expectNothingLost(_ comment: String) async throws {
    let after = try await device.texts()
    for (path, text) in before where path != "gone there.org" {
      let lines = Set((after[path] ?? "").split(separator: "\n"))
      guard lines.isSuperset(of: text.split(separator: "\n")) else {
        throw TestFailure("\(comment): \(path) has lost something: \(after[path] ?? "all of it")")
      }
    }
    for (path, text) in after where expected[path] != text && before[path] != text {
      throw TestFailure("\(comment): \(path) holds \(text)")
    }
  }

  /// Requires that calm runs, three at most, repair everything.
  public func expectHealing(_ comment: String) async throws {
    var report = await device.sync()
    for _ in 0..<2 where report.result != .synced { report = await device.sync() }
    guard report.result == .synced else {
      let left = report.actions.filter { $0.result != .done }
      throw TestFailure("\(comment): \(report.result) \(report.failure?.message ?? "") \(left)")
    }
    let (here, there) = (try await device.texts(), try await remote.texts())
    guard here == expected, there == expected else { throw TestFailure("\(comment): here \(here), there \(there)") }
  }
}

extension FaultyPass {
  /// Causes the same failure in one pass after the other, each time at a later place, until there is none. A pass that gives up
  /// before it reaches the place, because the machine is busy, is repeated.
  ///
  /// - Parameters:
  ///   - first: The first place, counted from 1.
  ///   - make: Makes a new pass.
  ///   - disturb: Makes the failure happen at a place.
  ///   - calm: Ends the failures; returns whether the place was reached, and the number of failures.
  /// - Returns: The number of failures.
  public static func sweep(
    from first: Int, by stride: Int, _ what: String, make: () async throws -> FaultyPass,
    disturb: (Int) async throws -> Void, calm: (Int) async throws -> (isReached: Bool, count: Int)
  ) async throws -> Int {
    var (place, count, failures) = (first, 0, 0)
    while true {
      let comment = "\(what) at request \(place)"
      let pass = try await make()
      try await disturb(place)
      let report = await pass.run()
      let outcome = try await calm(place)
      try await pass.expectNothingLost(comment)
      try await pass.expectHealing(comment)
      guard outcome.isReached else {
        if report.result == .synced { return count }
        failures += 1
        guard failures < 20 else { throw TestFailure("\(comment): \(report)") }
        continue
      }
      count += outcome.count
      place += stride
    }
  }
}

extension FaultyProxy {
  /// All ways to break a connection, in both directions.
  public static let breaks: [[String: any Sendable]] = [
    ["cut_after": 0], ["reset_after": 0], ["cut_after": 60], ["truncate_after": 250], ["reset_after": 300],
    ["cut_after": 0, "dir": "up"], ["reset_after": 40, "dir": "up"], ["truncate_after": 150, "dir": "up"],
    ["blackhole_after": 0], ["blackhole_after": 200],
  ]

  /// Breaks a connection at each place of a pass in turn; returns the number of breaks.
  ///
  /// - Parameters:
  ///   - rule: The way to break it.
  ///   - pattern: The beginning of the request.
  public func sweep(
    _ rule: [String: any Sendable], at pattern: String, from first: Int, by stride: Int,
    make: () async throws -> FaultyPass
  ) async throws -> Int {
    try await FaultyPass.sweep(from: first, by: stride, "\(rule)", make: make) { place in
      try follow([rule.merging(["match": pattern, "nth": place, "times": 1]) { $1 }])
    } calm: { place in
      let count = try counts()
      try follow([])
      return (count.matched.first == place || count.fired.first == 1, count.fired.first ?? 0)
    }
  }
}
