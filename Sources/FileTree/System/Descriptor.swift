internal import CPOSIX

/// An open file or folder; closed when it is destroyed.
struct Descriptor: ~Copyable, Sendable {
  let number: CInt

  deinit { _ = closeDescriptor(number) }

  /// Closes the descriptor, and throws its error: some file systems only report a failed write on close.
  consuming func close() throws(Errno) {
    let number = self.number
    discard self
    try once { closeDescriptor(number) }
  }

  /// Returns the facts of the open file.
  ///
  /// - Parameter isElsewhere: see `CloudProgram`.
  func facts(_ isElsewhere: (@Sendable (UInt64) -> Bool)? = nil) throws(Errno) -> FileFacts {
    var facts = stat()
    try once { unsafe fstat(number, &facts) }
    return FileFacts(facts, isElsewhere)
  }

  /// Sets the permissions.
  func set(mode: mode_t) throws(Errno) { try once { fchmod(number, mode) } }

  /// Sets the modification time and leaves the access time unchanged.
  func set(modified: Int64) throws(Errno) {
    let (seconds, rest) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
    let times = [
      timespec(tv_sec: 0, tv_nsec: posix_utime_omit()),
      timespec(tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest)),
    ]
    try once { unsafe futimens(number, times) }
  }

  /// Makes the content durable. After a failure the file must be discarded: another attempt may succeed without having written
  /// anything.
  func sync() throws(Errno) {
    #if canImport(Darwin)
      try once { posix_fcntl(number, F_FULLFSYNC, 0) }
    #else
      try once { fsync(number) }
    #endif
  }
}

// Inside the type the name would refer to the method.
private func closeDescriptor(_ number: CInt) -> CInt { close(number) }

extension Descriptor {
  /// Returns the next bytes, at most `limit`; none at the end.
  func read(atMost limit: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(Errno) {
        count = try retrying { unsafe readBytes(number, buffer.baseAddress, limit) }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all of `bytes`.
  func write(_ bytes: [UInt8]) throws(Errno) {
    var done = 0
    while done < bytes.count {
      done += try retrying {
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe writeBytes(number, buffer.baseAddress! + done, buffer.count - done)
        }
      }
    }
  }
}

private func readBytes(_ number: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, buffer, count)
}

private func writeBytes(_ number: CInt, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(number, buffer, count)
}
