/// A bidirectional byte stream to an rsync server. Each call blocks until it is done.
public protocol ByteStream: AnyObject {
  /// Writes all of `bytes`. While the server does not read, its output is buffered for later reads, because the server may be
  /// blocked on it.
  func write(_ bytes: [UInt8]) throws(RsyncError)

  /// Returns the next bytes, at most some tens of kibibytes; none at the end.
  func read() throws(RsyncError) -> [UInt8]
}

/// The maximum sizes of a server's lists and files.
public struct RsyncLimits: Hashable, Sendable {
  public var entries: Int
  /// The total size of the names in a list, in bytes.
  public var names: Int
  /// The size of one file, in bytes.
  public var file: Int

  public init(entries: Int = 200_000, names: Int = 64 << 20, file: Int = 1 << 30) {
    self.entries = entries
    self.names = names
    self.file = file
  }
}
