import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that reserves space and frees it when the disk is full, so that a running operation can be recorded.
struct Reserve: Sendable {
  private let path: String

  private static let size = 1 << 20

  init(path: String) { self.path = path }

  /// Reserves the space unless it is reserved. A lack of space is not an error: the next start tries again.
  func take() {
    guard let file = try? StateFile(path, O_WRONLY | O_CREAT | O_EXCL) else { return }
    do { try file.write(Array(repeating: UInt8(ascii: "."), count: Self.size)) } catch { release() }
  }

  /// Frees the space. Returns true if any was reserved.
  @discardableResult func release() -> Bool { unsafe unlink(path) == 0 }
}
