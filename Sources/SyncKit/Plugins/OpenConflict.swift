/// A conflict that is not resolved yet.
public struct OpenConflict: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The base; nil if the file did not exist, as in the next two.
  public var base: Digest?
  /// The store's version.
  public var local: Digest?
  /// The remote's version.
  public var remote: Digest?
  /// The conflict copy with the other version; nil if both are in one file.
  public var copy: SyncPath?
  /// The content with both versions and marks; the conflict is open while the file has the marks.
  public var marked: Digest?

  public init(
    path: SyncPath, base: Digest? = nil, local: Digest? = nil, remote: Digest? = nil, copy: SyncPath? = nil,
    marked: Digest? = nil
  ) {
    self.path = path
    self.base = base
    self.local = local
    self.remote = remote
    self.copy = copy
    self.marked = marked
  }
}
