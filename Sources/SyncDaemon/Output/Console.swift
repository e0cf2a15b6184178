import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Standard output and standard error: results go to the one, all else to the other.
enum Console {
  /// Writes a line to standard output.
  static func print(_ text: String, terminator: String = "\n") {
    write(Array((text + terminator).utf8), to: STDOUT_FILENO)
  }

  /// Writes a JSON document to standard output.
  static func print(json: JSON) { print(json.description) }

  /// Writes bytes to standard output as they are.
  static func print(bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

  /// Writes a line to standard error.
  static func error(_ text: String, terminator: String = "\n") {
    write(Array((text + terminator).utf8), to: STDERR_FILENO)
  }

  /// Whether a person looks at standard error.
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether a person can be asked.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe writeBytes(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      // Nobody listens any more; there is nobody to tell either.
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}

/// write(2); a name of its own, because the C function's is hidden by a method here.
func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
