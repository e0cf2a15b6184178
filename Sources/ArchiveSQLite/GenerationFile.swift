import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Remembers, outside the database, how far the database had come: one with a lower generation was put back.
///
/// It is written after the database and never synced, so after a crash it may be behind, which means nothing.
struct GenerationFile: Sendable {
  let path: String

  private static let length = 20

  /// The highest generation that was noted, or nil if there is no telling.
  func read() -> Int? {
    guard let file = try? StateFile(path, O_RDONLY), let bytes = try? file.read(atMost: Self.length + 1) else {
      return nil
    }
    return bytes.count == Self.length ? Int(String(decoding: bytes.dropLast(), as: UTF8.self)) : nil
  }

  /// Records a generation. A failure is not an error: the record is only a second copy.
  func write(_ generation: Int) {
    let digits = String(generation)
    let line = String(repeating: "0", count: max(0, Self.length - 1 - digits.count)) + digits + "\n"
    try? StateFile(path, O_WRONLY | O_CREAT).write(Array(line.utf8))
  }
}
