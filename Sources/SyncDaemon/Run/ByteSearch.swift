import ArchiveSQLite
internal import CPOSIX
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A search for a sequence of bytes in bytes that arrive in pieces.
struct ByteSearch {
  private let pattern: [UInt8]
  /// The end of the previous pieces, shorter than the pattern.
  private var rest: [UInt8] = []
  /// True once the pattern was found.
  private(set) var isFound = false

  /// A search for a pattern that is not empty.
  init(_ pattern: [UInt8]) { self.pattern = pattern }

  mutating func add(_ bytes: [UInt8]) {
    guard !isFound, !bytes.isEmpty else { return }
    let all = rest + bytes
    isFound = unsafe all.withUnsafeBytes { text in
      unsafe pattern.withUnsafeBytes {
        unsafe posix_contains(text.baseAddress, text.count, $0.baseAddress, $0.count) != 0
      }
    }
    rest = Array(all.suffix(pattern.count - 1))
  }

  /// Searches a whole file.
  func isFound(inFile path: String) throws(SyncError) -> Bool {
    var search = self
    let file = try StateFile(path, O_RDONLY)
    while !search.isFound {
      let bytes = try file.read(atMost: 1 << 20)
      if bytes.isEmpty { return false }
      search.add(bytes)
    }
    return true
  }
}
