/// The reason why an exchange with an rsync server failed. Nothing that such an exchange returned may be used.
public enum RsyncError: Error, Sendable {
  /// The stream does not begin with a version but with the output of a login script, a banner or another program; its first
  /// bytes.
  case notRsync(said: [UInt8])
  /// The server's protocol version is below 31, as with rsync before 3.1.0 and openrsync.
  case tooOld(version: Int)
  /// The server violated a rule of the protocol, or one of our limits.
  case violation(Violation)
  /// The stream ended early.
  case brokenOff
  /// The server announced that it exits with this status.
  case remoteExit(Int)
  /// The stream itself failed.
  case stream(any Error)
}

/// A rule of the protocol, or a limit of ours, that a server can violate.
public enum Violation: String, Sendable {
  case unrequestedFlags = "it enabled an option that was not requested"
  case overlongInteger = "a number is too long"
  case index = "it used an invalid file number"
  case unsafeName = "it listed an invalid name, or one outside its folder"
  case nameLength = "it listed a name with an invalid length"
  case negativeSize = "it listed a file with a negative size"
  case nanoseconds = "it listed a time with invalid nanoseconds"
  case fileMode = "it listed an unknown kind of file"
  case linkTarget = "it listed a link with an invalid target"
  case listLimit = "its list is longer than the limit"
  case unknownMessage = "it sent a message of an unknown kind"
  case messageLength = "it sent a message that is too long"
  case sumHead = "it sent invalid checksums"
  case echo = "it responded to other checksums than it received"
  case unsolicited = "it sent a file that was not requested"
  case token = "it copied from beyond the end of a file"
  case literalLength = "it sent a chunk that is too long"
  case fileLimit = "it sent a file that is larger than the limit"
  case endless = "it continued after the end"
  case request = "it sent an invalid request"
}
