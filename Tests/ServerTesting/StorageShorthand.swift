import ProgramTesting
public import SyncKit
import SyncKitTesting

extension Runtime {
  /// The real runtime, except that waits are short.
  public static let hurried = Runtime(now: Runtime.real.now, random: Runtime.real.random) { duration in
    try await Task.sleep(for: min(duration, .milliseconds(20)))
  }
}

extension Storage {
  /// The text of a file; nil if it does not exist.
  public func text(of path: String) async throws -> String? {
    let sink = MemorySink(limit: 64 << 20)
    switch try await read(file: try syncPath(path), into: sink) {
    case .read: return String(decoding: sink.bytes, as: UTF8.self)
    case .absent: return nil
    case .postponed(let reason): throw TestFailure(reason)
    case .failed(let error): throw error
    }
  }

  public func put(_ text: String, at path: String, if condition: Condition = .absent) async throws -> WriteResult {
    try await write(Content(Array(text.utf8)), to: try syncPath(path), if: condition)
  }

  public func names() async throws -> [String] {
    try await list(since: Known()).entries.map(\.path.description)
  }
}

public func syncPath(_ text: String) throws -> SyncPath {
  guard let path = SyncPath(text) else { throw TestFailure("\(text) is not a path") }
  return path
}

extension WriteResult {
  public var isDone: Bool { if case .done = self { true } else { false } }
}

extension TestDevice {
  /// Runs, and requires success.
  public func requireHealthyRun(_ comment: String) async throws {
    let report = await sync()
    guard [.synced, .conflicts].contains(report.result) else {
      throw TestFailure(
        "\(comment), \(name): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })"
      )
    }
  }
}

/// Prints prominently that a test was skipped.
public func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }
