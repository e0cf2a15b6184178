internal import RsyncWire

/// Why a conversation with an sftp server cannot go on.
enum SFTPError: Error {
  /// Nothing speaks sftp there: the stream ended before it began, or something else was said, which begins so.
  case notOffered(said: [UInt8])
  /// The server cannot do what `exclusive` stands on; what that is, in words.
  case lacks(String)
  /// The server broke a rule of the protocol, or one of our limits.
  case violation(String)
  /// The stream ended in the middle.
  case brokenOff
  /// The stream itself failed.
  case stream(RsyncError)
}
