public import SyncKit
internal import Synchronization

extension Runtime {
  /// A runtime that is determined by a seed: the clock advances by a millisecond with each reading, random numbers are
  /// reproducible, and nothing waits.
  public static func seeded(_ seed: UInt64) -> Runtime {
    let state = SeededState(seed)
    return Runtime(now: { state.now() }, random: { state.random($0) }, sleep: { state.pass($0) })
  }
}

/// The clock and the random numbers of a seeded runtime.
private final class SeededState: Sendable {
  private let state: Mutex<(nanoseconds: Int64, generator: SplitMix64)>

  init(_ seed: UInt64) { state = Mutex((1_700_000_000_000_000_000, SplitMix64(state: seed))) }

  func now() -> Timestamp {
    state.withLock {
      $0.nanoseconds += 1_000_000
      return Timestamp(nanoseconds: $0.nanoseconds)
    }
  }

  func random(_ count: Int) -> [UInt8] {
    state.withLock { state in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &state.generator) } }
  }

  func pass(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    state.withLock { $0.nanoseconds += seconds * 1_000_000_000 + attoseconds / 1_000_000_000 }
  }
}

extension RemoteParts {
  /// The parts of a plugin in a test: an archive in memory, and a runtime that `seed` determines.
  public static func inMemory(
    name: String = "test", storage: (any Storage)? = nil, archive: MemoryArchive = MemoryArchive(), seed: UInt64 = 1
  ) -> RemoteParts {
    RemoteParts(
      name: name, storage: storage, device: Device(id: "device\(seed)", name: "device"), runtime: .seeded(seed),
      contents: archive, journal: archive.journal(of: name))
  }
}
