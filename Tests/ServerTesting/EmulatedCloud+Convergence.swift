import ProgramTesting
import SyncKit
import SyncKitTesting

extension EmulatedCloud {
  /// Edits files on two devices at random, and requires that they and the cloud have the same files at the end, with every line.
  ///
  /// - Parameters:
  ///   - steps: The number of edits.
  ///   - disturbance: An order to the emulator, which it gets after one in 20 edits.
  public func requireConvergence(steps: Int, disturbance: String) async throws {
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let place = try await newPlace()
    let devices = [try await device("one", at: place), try await device("two", at: place)]
    var lines: Set<String> = []
    for step in 0..<steps {
      let device = devices[Int.random(in: 0...1, using: &generator)]
      let path = ["a.org", "b c.org", "d/e.org", "d/f/g\u{E9}.org"].randomElement(using: &generator) ?? "a.org"
      let line = "line \(step) of \(device.name)\n"
      lines.insert(line)
      try await device.write((try await device.texts()[path] ?? "") + line, to: path)
      if Int.random(in: 0...2, using: &generator) == 0 { try await device.requireHealthyRun("seed \(seed)") }
      if Int.random(in: 0...19, using: &generator) == 0 { try await control(disturbance) }
    }
    for device in devices + devices { try await device.requireHealthyRun("seed \(seed)") }
    let texts = try await devices[0].texts()
    let lost = lines.subtracting(texts.values.flatMap { $0.split(separator: "\n").map { "\($0)\n" } })
    guard lost.isEmpty else { throw TestFailure("seed \(seed): lost \(lost)") }
    try await requireEqual(texts, on: devices[1], and: place, "seed \(seed)")
    for device in devices {
      let quiet = await device.sync()
      guard !quiet.didSomething, quiet.result == .synced else { throw TestFailure("seed \(seed): \(quiet)") }
    }
  }

  /// Deletes, moves and edits files on two devices, and requires that each change arrives.
  public func requireDeletionsArrive(at place: String) async throws {
    let (one, two) = (try await device("one", at: place), try await device("two", at: place))
    for name in ["keep.org", "delete.org", "edit.org", "old/move.org"] { try await one.write("* \(name)\n", to: name) }
    for device in [one, two] { try await device.requireHealthyRun("first") }
    try await requireEqual(try await one.texts(), on: two, and: place, "first")
    for name in ["delete.org", "old/move.org"] { try await one.remove(name) }
    try await one.write("* old/move.org\n", to: "new/move.org")
    try await two.write("* edited\n", to: "edit.org")
    for device in [one, two, one] { try await device.requireHealthyRun("second") }
    let expected = ["keep.org": "* keep.org\n", "edit.org": "* edited\n", "new/move.org": "* old/move.org\n"]
    for device in [one, two] { try await requireEqual(expected, on: device, and: place, "second") }
  }

  private func requireEqual(
    _ expected: [String: String], on device: TestDevice, and place: String, _ comment: String
  ) async throws {
    let (here, there) = (try await device.texts(), try await texts(in: place))
    guard here == expected, there == expected else {
      throw TestFailure("\(comment), \(device.name): expected \(expected), here \(here), in the cloud \(there)")
    }
  }
}
