internal import Synchronization

/// A hash of all effects in order: two runs of one seed have the same (Fowler, Noll and Vo's FNV-1a).
final class Trace: Sendable {
  private let state = Mutex<UInt64>(0xCBF2_9CE4_8422_2325)

  var hash: UInt64 { state.withLock { $0 } }

  func record(_ text: String) {
    state.withLock { state in
      for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
  }
}
