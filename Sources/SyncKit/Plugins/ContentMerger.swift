/// Merges files that both sides changed. The program provides it, so that the engine knows no format.
public protocol ContentMerger: Sendable {
  /// Returns true if a file of this name and size can be merged, so that its base is kept. It is called for every changed
  /// file, so it must be cheap.
  func merges(_ path: SyncPath, size: Int) -> Bool

  /// Merges a set of files: all that either side changed, so that what moved from one file to another can be followed.
  ///
  /// The result depends on the contents only, and not on which side is the local one. A path that is missing from the result
  /// gets the version of the side that changed it; if both did, both versions are kept side by side.
  ///
  /// - Parameter side: The side that wins every conflict; nil to mark conflicts. Everything else is merged in both cases.
  func merge(_ files: [MergeInput], preferring side: Side?) async -> [SyncPath: MergeResult]

  /// Returns true if the content has a mark at which a user still has to decide; nil if that is unknown, because the file is
  /// encrypted and the key is unavailable.
  func isMarked(_ content: [UInt8], at path: SyncPath) async -> Bool?
}

/// The three versions of one file; nil if it does not exist.
public struct MergeInput: Hashable, Sendable {
  /// The path of the file.
  public var path: SyncPath
  /// The last common content; nil if there is none.
  public var base: [UInt8]?
  /// The store's content; nil if the file does not exist there.
  public var local: [UInt8]?
  /// The remote's content; nil if the file does not exist there.
  public var remote: [UInt8]?

  public init(path: SyncPath, base: [UInt8]?, local: [UInt8]?, remote: [UInt8]?) {
    self.path = path
    self.base = base
    self.local = local
    self.remote = remote
  }
}

/// The result of merging one file.
public enum MergeResult: Hashable, Sendable {
  /// A merge with the changes of both sides.
  case clean([UInt8])
  /// A merge with the changes of both sides, in which a user has to decide at the marks.
  case marked([UInt8])
  /// A merge with the changes of both sides, which has the preferred side's version wherever a user would have to decide.
  case decided([UInt8])
  /// No merge: both versions are kept side by side. The reason is a clause after "because"; nil if they merely differ.
  case sideBySide(because: String? = nil)
}
