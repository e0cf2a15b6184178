import ProgramTesting
import SyncKit
import SyncKitTesting

/// Devices that rename and edit files at random, and sync one by one and at the same time.
public struct RandomRenames: Sendable {
  private let devices: [TestDevice]
  private let remote: any RemoteEditor
  private let seed: UInt64

  private static let names = ["a.org", "b.org", "c d.org", "e/a.org", "e/f/b.org", "g/a.org"]

  public init(_ devices: [TestDevice], _ remote: any RemoteEditor, seed: UInt64) {
    (self.devices, self.remote, self.seed) = (devices, remote, seed)
  }

  /// Requires that all devices and the remote have the same files at the end, and that no line is lost.
  public func run(steps: Int) async throws {
    var generator = SplitMix64(state: seed)
    var lines: Set<String> = []
    // With few files, some of the removals would be held.
    for number in 0..<30 { try await devices[0].write("* file \(number)\n", to: "still/\(number).org") }
    for step in 0..<steps {
      let device = devices[Int.random(in: 0..<devices.count, using: &generator)]
      let texts = try await device.texts()
      let old = texts.keys.filter { !$0.hasPrefix("still/") }.sorted().randomElement(using: &generator)
      let new = Self.names.randomElement(using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1, 2:
        if let old, let new, texts[new] == nil { try await device.rename([old: new]) }
      case 3, 4:
        guard let name = old ?? new else { continue }
        let line = "line \(step) of \(device.name)"
        lines.insert(line)
        try await device.write((texts[name] ?? "") + line + "\n", to: name)
      default: await syncAtOnce()
      }
      if Bool.random(using: &generator) { _ = await device.sync() }
    }
    for _ in 0..<3 { for device in devices { _ = await device.sync() } }
    try await requireEquality(lines)
  }

  private func syncAtOnce() async {
    await withTaskGroup { group in
      for device in devices { group.addTask { _ = await device.sync() } }
    }
  }

  private func requireEquality(_ lines: Set<String>) async throws {
    let there = try await remote.texts()
    for device in devices {
      let here = try await device.texts()
      let report = await device.sync()
      guard here == there else {
        throw TestFailure("seed \(seed): \(device.name) has \(here), the remote \(there); \(report)")
      }
      guard !report.didSomething else { throw TestFailure("seed \(seed): \(device.name) is not quiet: \(report)") }
    }
    let live = Set(there.values.flatMap { $0.split(separator: "\n").map(String.init) })
    let lost = lines.subtracting(live)
    guard lost.isEmpty else { throw TestFailure("seed \(seed): lost \(lost) of \(there)") }
  }
}
