/// The progress of a pass.
public struct Progress: Hashable, Sendable {
  /// A stage of a pass.
  public enum Stage: String, Hashable, Sendable {
    /// Both sides are listed.
    case scanning
    /// Changed files are read.
    case reading
    /// Changes are applied.
    case writing
    /// The pass has ended, successfully or not; its report has the result.
    case ended
  }

  /// The name of the remote.
  public var remote: String
  /// The current stage.
  public var stage: Stage
  /// The number of files that are done in this stage.
  public var done: Int
  /// The number of files in this stage; zero while it is unknown.
  public var total: Int
  /// The bytes read or written in this stage so far. At the end of a pass: the bytes that it wrote to both sides.
  public var bytes = 0
  /// The last file that was done; nil before the first one.
  public var path: SyncPath?

  public init(remote: String, stage: Stage, done: Int = 0, total: Int = 0, bytes: Int = 0, path: SyncPath? = nil) {
    self.remote = remote
    self.stage = stage
    self.done = done
    self.total = total
    self.bytes = bytes
    self.path = path
  }
}
