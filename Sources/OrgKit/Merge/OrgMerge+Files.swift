extension OrgMerge {
  /// What a merge gives.
  public struct Result: Sendable, Equatable {
    /// True if a person is left with something to decide.
    public enum Status: Sendable {
      /// All changes of both sides are in the content.
      case clean
      /// The content has conflict records for a person, or has what was decided for one side.
      case conflict
      /// The versions are binary, or the proof failed that nothing is lost; keep both files.
      case keepBoth
    }

    /// True if a person is left with something to decide.
    public var status: Status
    /// The merged file; nil if both are to be kept.
    public var content: [UInt8]?
    /// The decisions that were more than taking what one side changed.
    public var decisions: [Decision]
  }

  /// Merges what `ours` and `theirs` made of `base`, the last state both had.
  ///
  /// Before the result is given out, it is proved that every entry and every line of both sides is in it, unless it
  /// was deleted by a side that had seen its latest text, and that it reads as the tree it was written from.
  ///
  /// Without a base, at a first meeting, equal parts of both are one, additions of both sides are kept, and fields of
  /// one entry that differ are conflicts.
  public static func merge(base: [UInt8]?, ours: [UInt8], theirs: [UInt8], options: Options = Options()) -> Result {
    if ours == theirs || theirs == base { return Result(status: .clean, content: ours, decisions: []) }
    if ours == base { return Result(status: .clean, content: theirs, decisions: []) }
    let files = Three(base: base ?? [], ours: ours, theirs: theirs)
    if files.all.contains(where: isBinary) { return Result(status: .keepBoth, content: nil, decisions: []) }
    let opened = files.map(Envelope.open)
    let roots = [Three<Int?>(base: base == nil ? nil : 0, ours: 0, theirs: 0)]
    var forest = ForestMerge(opened.map { Outline($0.text) }, files: roots, options: options)
    if let split = SplitEntries.unified(forest.table) {
      forest = ForestMerge(split.map { Outline($0) }, files: roots, options: options)
    }
    let text = forest.text(of: 0)
    guard forest.isComplete, forest.isConserving(file: 0), forest.isTree(text, of: 0) else {
      return Result(status: .keepBoth, content: nil, decisions: [])
    }
    let envelope = Envelope.merged(
      base: base == nil ? nil : opened.base.envelope, ours: opened.ours.envelope, theirs: opened.theirs.envelope)
    return Result(
      status: forest.isClean(file: 0) ? .clean : .conflict, content: envelope.wrap(text),
      decisions: forest.decisions)
  }

  /// Returns true if a file is not text that can be merged: UTF-16, or with a NUL near its beginning.
  public static func isBinary(_ file: [UInt8]) -> Bool {
    file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF]) || file.prefix(8192).contains(0)
  }
}
