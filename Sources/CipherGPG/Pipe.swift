import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A pipe within this process.
final class Pipe: Sendable {
  let reading: CInt
  let writing: CInt
  private let state = Mutex((isWritable: true, isReadable: true, isAtEnd: false))

  private static let size = 64 << 10
  /// The maximum size of one read, so that a writer that is as fast as the reader cannot keep it forever.
  private static let largestReading = 1 << 20

  init() throws(Complaint) {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw Complaint("cannot be sent to gpg: too many open files", isPassing: true)
    }
    (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    closeWriting()
    closeReading()
  }

  /// True if the writer has closed its end and everything was read.
  var isAtEnd: Bool { state.withLock { $0.isAtEnd } }

  func keepFromBlocking(_ end: CInt) { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }

  func closeWriting() {
    state.withLock { state in
      if state.isWritable { close(writing) }
      state.isWritable = false
    }
  }

  func closeReading() {
    state.withLock { state in
      if state.isReadable { close(reading) }
      state.isReadable = false
    }
  }

  /// Writes as much as there is room for; returns the number of bytes.
  func write(_ bytes: ArraySlice<UInt8>) -> Int {
    let piece = bytes.prefix(Self.size)
    return max(0, unsafe piece.withUnsafeBytes { unsafe systemWrite(writing, $0.baseAddress, $0.count) })
  }

  /// Reads what is available, up to a limit.
  func read() -> [UInt8] {
    var found: [UInt8] = []
    while true {
      var isAtEnd = false
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
        let result = unsafe systemRead(reading, buffer.baseAddress, Self.size)
        count = max(0, result)
        isAtEnd = result == 0
      }
      if isAtEnd { state.withLock { $0.isAtEnd = true } }
      found += piece
      if piece.isEmpty || found.count >= Self.largestReading { return found }
    }
  }
}

// Members of the type would shadow the system's functions.
private let systemWrite = unsafe write(_:_:_:)
private let systemRead = unsafe read(_:_:_:)
