/// Merges what both sides changed. It is handed in by the program, so that the engine knows no format.
public protocol ContentMerger: Sendable {
  /// Whether a file of this name and size is worth holding as a base and merging; cheap, asked for every changed file.
  func merges(_ path: SyncPath, size: Int) -> Bool

  /// Merges a set of files: all that either side changed, so that what moved from one file to another can be followed.
  ///
  /// What the result says depends on the contents only, and not on which side is called local. A path that is missing from
  /// the result is taken as it is on the side that changed it; where both did, both versions are kept side by side.
  func merge(_ files: [MergeInput]) async -> [SyncPath: MergeResult]

  /// Whether a person still has to decide at a marked place of this content; nil if that cannot be told now, because the
  /// file is sealed and the key is not at hand.
  func isMarked(_ content: [UInt8], at path: SyncPath) async -> Bool?
}

/// The three versions of one file; nil where it is not there.
public struct MergeInput: Hashable, Sendable {
  public var path: SyncPath
  public var base: [UInt8]?
  public var local: [UInt8]?
  public var remote: [UInt8]?

  public init(path: SyncPath, base: [UInt8]?, local: [UInt8]?, remote: [UInt8]?) {
    self.path = path
    self.base = base
    self.local = local
    self.remote = remote
  }
}

/// What became of one file of a merge.
public enum MergeResult: Hashable, Sendable {
  /// Everything both sides did is in it.
  case clean([UInt8])
  /// Everything both sides did is in it, and a person has to decide at the marked places.
  case marked([UInt8])
  /// No merge: both versions are kept, one beside the other. The reason, if there is more to say than that they differ,
  /// is the end of a sentence that "because" begins.
  case sideBySide(because: String? = nil)
}
