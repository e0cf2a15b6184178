extension OrgMerge {
  /// The files of a folder by their paths.
  public typealias Folder = [Path: [UInt8]]

  /// The result of merging folders.
  public struct FolderResult: Sendable, Equatable {
    /// All files of the merged folder.
    public var files: Folder = [:]
    /// The paths of the files with conflicts; empty after a clean merge.
    public var conflicts: Set<Path> = []
    /// The decisions in Org files other than taking the only change.
    public var decisions: [Decision] = []

    /// True if no conflict is left.
    public var isClean: Bool { conflicts.isEmpty }
  }

  /// Merges the changes of two sides to a folder.
  ///
  /// Renamed files are recognised, and entries are followed from one Org file to another, including archives. Other text merges
  /// by lines. If that fails, and for binary files, both versions stay: the one with the smaller SHA-256 keeps the name, the
  /// other is named after its digest.
  public static func merge(
    base: Folder, ours: Folder, theirs: Folder, options: Options = Options()
  ) -> FolderResult {
    var merge = FolderMerge(Three(base: base, ours: ours, theirs: theirs), options: options)
    merge.run()
    return merge.result
  }
}
