/// Why a conversation with an rsync server cannot go on. Nothing of an exchange that ends with one counts.
public enum RsyncError: Error, Sendable {
  /// What came first is no version: a login script or a banner, or another program; its first bytes.
  case notRsync(said: [UInt8])
  /// The server speaks a version of the protocol below 31, as rsync before 3.1.0 and openrsync do.
  case tooOld(version: Int)
  /// The server broke a rule of the protocol, or one of our limits.
  case violation(Violation)
  /// The stream ended in the middle.
  case brokenOff
  /// The server announced that it ends with this exit status.
  case remoteExit(Int)
  /// The stream itself failed.
  case stream(any Error)
}

/// A rule of the protocol, or a limit of ours, that a server can break.
public enum Violation: String, Sendable {
  case unrequestedFlags = "it switched something on that it was not asked for"
  case overlongInteger = "a number is longer than numbers are"
  case index = "it spoke of a file by a number that no file has"
  case unsafeName = "it listed a name that leads out of its folder, or is none"
  case nameLength = "it listed a name with an impossible length"
  case negativeSize = "it listed a file with a negative size"
  case nanoseconds = "it listed a time with more than a thousand million nanoseconds"
  case fileMode = "it listed something of no kind of file that there is"
  case linkTarget = "it listed a link with an impossible target"
  case listLimit = "its list is longer than the limit"
  case unknownMessage = "it sent a message of an unknown kind"
  case messageLength = "it sent too long messages"
  case sumHead = "it sent impossible checksums"
  case echo = "it answered for other checksums than it was given"
  case unsolicited = "it sent a file that nobody had asked for"
  case token = "it copied from a place that is not there"
  case literalLength = "it sent a longer piece than there can be"
  case fileLimit = "it sent a file that is larger than the limit"
  case endless = "it goes on where it should have ended"
  case request = "it asked for something that it cannot ask for"
}
