/// A change of one side, or of both, that a remote's mode does not let pass.
public struct IgnoredChange: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// What changed and where, as a clause: "edited on the remote".
  public var change: String

  public init(path: SyncPath, change: String) {
    self.path = path
    self.change = change.printableLine
  }
}
