package import SyncKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Standard output and standard error: results go to the one, all else to the other.
package enum Console {
  /// The error number that ended writing to standard output; 0 while all is well.
  private static let firstWriteError = Mutex<Int32>(0)

  /// Sees to it that nothing else is opened under the numbers of the standard streams where they were closed, and read or
  /// written for them. Writing to a standard output that was closed stays an error.
  package static func reserveStreams() {
    for (stream, flags) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
    where fcntl(stream, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", flags)
    }
  }

  /// Why what was printed is not all in standard output; nil if it is, or if the reader went away, who wanted no more.
  ///
  /// - Parameter mayBeClosed: true if a missing standard output is not an error.
  package static func outputError(mayBeClosed: Bool) -> String? {
    let error = firstWriteError.withLock(\.self)
    if error == 0 || error == EPIPE || error == EBADF && mayBeClosed { return nil }
    return unsafe String(cString: strerror(error))
  }

  /// Writes a line to standard output. Control characters are escaped: files and servers may have put them there.
  package static func print(_ text: String, terminator: String = "\n") {
    print(bytes: Array((text.printable + terminator).utf8))
  }

  /// Writes a JSON document to standard output.
  package static func print(json: JSON) { print(json.description) }

  /// Writes bytes to standard output as they are.
  package static func print(bytes: [UInt8]) {
    firstWriteError.withLock { if $0 == 0 { $0 = write(bytes, to: STDOUT_FILENO) } }
  }

  /// Writes a line to standard error. Control characters are escaped.
  package static func error(_ text: String, terminator: String = "\n") { draw(text.printable + terminator) }

  /// Writes to standard error what may control the terminal.
  package static func draw(_ text: String) {
    // Where this fails there is nowhere left to say so.
    _ = write(Array(text.utf8), to: STDERR_FILENO)
  }

  /// True if a person looks at standard error.
  package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// True if a person can be asked.
  package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Writes all of it; returns the error number where that fails, else 0.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe writeBytes(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return errno }
      rest = rest.dropFirst(written)
    }
    return 0
  }
}

/// write(2); a name of its own, because the C function's is hidden by a method here.
package func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
