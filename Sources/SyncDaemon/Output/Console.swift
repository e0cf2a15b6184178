package import SyncKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Standard output for results, and standard error for everything else.
package enum Console {
  /// The errno of the first failed write to standard output; 0 for none.
  private static let firstWriteError = Mutex<Int32>(0)
  private static let hasWritten = Mutex(false)

  /// True if anything was written to standard output.
  package static var hasPrinted: Bool { hasWritten.withLock(\.self) }

  /// Opens the standard streams that were closed, so that no other file gets their descriptors and is read or written for them.
  /// Writing to a standard output that was closed stays an error.
  package static func reserveStreams() {
    for (stream, flags) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
    where fcntl(stream, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", flags)
    }
  }

  /// The reason why standard output is incomplete; nil if it is complete, or if the reader closed it.
  ///
  /// - Parameter mayBeClosed: true if a missing standard output is not an error.
  package static func outputError(mayBeClosed: Bool) -> String? {
    let error = firstWriteError.withLock(\.self)
    if error == 0 || error == EPIPE || error == EBADF && mayBeClosed { return nil }
    return unsafe String(cString: strerror(error))
  }

  /// Writes a line to standard output. Control characters are escaped, because they may come from files and servers.
  package static func print(_ text: String, terminator: String = "\n") {
    print(bytes: Array((text.printable + terminator).utf8))
  }

  /// Writes lines to standard output, many at a time. Control characters are escaped.
  package static func print(lines: some Sequence<String>) {
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line.printable.utf8
      bytes.append(UInt8(ascii: "\n"))
      guard bytes.count >= 1 << 16 else { continue }
      print(bytes: bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    if !bytes.isEmpty { print(bytes: bytes) }
  }

  /// Writes a JSON document to standard output.
  package static func print(json: JSON) { print(json.description) }

  /// Writes bytes to standard output unchanged.
  package static func print(bytes: [UInt8]) {
    hasWritten.withLock { $0 = true }
    firstWriteError.withLock { if $0 == 0 { $0 = write(bytes, to: STDOUT_FILENO) } }
  }

  /// Writes a line to standard error. Control characters are escaped.
  package static func error(_ text: String, terminator: String = "\n") { draw(text.printable + terminator) }

  /// Writes text with terminal control sequences to standard error.
  package static func draw(_ text: String) {
    // A failure cannot be reported anywhere else.
    _ = write(Array(text.utf8), to: STDERR_FILENO)
  }

  private static let hasPager = Mutex(false)

  /// True if a pager shows standard output on a terminal.
  package static var isPaged: Bool {
    get { hasPager.withLock(\.self) }
    set { hasPager.withLock { $0 = newValue } }
  }

  /// True if standard output is a terminal, possibly by a pager.
  package static var outputIsTerminal: Bool { isPaged || isatty(STDOUT_FILENO) == 1 }

  /// True if standard error is a terminal.
  package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// True if the user can be asked.
  package static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Writes all bytes; returns the errno of a failure, otherwise 0.
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

/// write(2), under another name because a method shadows the C function.
package func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
