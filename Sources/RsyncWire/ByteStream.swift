/// The bytes to and from an rsync server, whatever carries them. Each call waits until it is done.
public protocol ByteStream: AnyObject {
  /// Writes all of `bytes`. While the other side does not listen, what it says is taken in for later reads: it may be that
  /// it waits for that.
  func write(_ bytes: [UInt8]) throws(RsyncError)

  /// The next bytes, some tens of kibibytes at most; none at the end.
  func read() throws(RsyncError) -> [UInt8]
}

/// How much of a server's lists and files is taken.
public struct RsyncLimits: Hashable, Sendable {
  public var entries: Int
  /// Bytes of all names of a list.
  public var names: Int
  /// Bytes of one file.
  public var file: Int

  public init(entries: Int = 200_000, names: Int = 64 << 20, file: Int = 1 << 30) {
    self.entries = entries
    self.names = names
    self.file = file
  }
}
