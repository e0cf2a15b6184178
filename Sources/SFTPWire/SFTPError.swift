public import SyncKit

/// The reason why an exchange with an sftp server failed.
public enum SFTPError: Error {
  /// The host does not offer sftp: the stream ended before the greeting, or begins with this other output.
  case notOffered(said: [UInt8])
  /// The server lacks a feature; its description.
  case lacks(String)
  /// The server violated a rule of the protocol, or one of our limits.
  case violation(String)
  /// The stream ended early.
  case brokenOff
  /// The stream itself failed.
  case stream(SyncError)
}
