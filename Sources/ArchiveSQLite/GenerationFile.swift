import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Records outside the database the highest generation that the database reached: a database with a lower one was restored from
/// a backup.
///
/// The file is written after the database and never synced, so it may be behind after a crash, which is harmless.
struct GenerationFile: Sendable {
  let path: String

  private static let length = 20

  /// Returns the highest recorded generation; nil if it is unknown.
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
