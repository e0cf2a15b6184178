extension OrgMerge {
  /// The result of a merge.
  public struct Result: Sendable, Equatable {
    /// The status of a merge.
    public enum Status: Sendable {
      /// All changes of both sides are in the content.
      case clean
      /// The content has conflicts for a user, or conflicts that were decided for one side.
      case conflict
      /// The versions are binary, or the proof failed that nothing is lost; keep both files.
      case keepBoth
    }

    /// The status of the merge.
    public var status: Status
    /// The merged file; nil if both are to be kept.
    public var content: [UInt8]?
    /// The decisions other than taking the only change.
    public var decisions: [Decision]
  }

  /// Merges the changes of `ours` and `theirs` to `base`, the last common version.
  ///
  /// Before the result is returned, it is proved that every entry and every line of both sides is in it, unless it was deleted
  /// by a side that had seen its latest text, and that it parses as the tree that it was written from.
  ///
  /// Without a base, equal parts of both sides are one, additions of both sides are kept, and fields of one entry that differ
  /// are conflicts.
  public static func merge(base: [UInt8]?, ours: [UInt8], theirs: [UInt8], options: Options = Options()) -> Result {
    if ours == theirs || theirs == base { return Result(status: .clean, content: ours, decisions: []) }
    if ours == base { return Result(status: .clean, content: theirs, decisions: []) }
    let files = Three(base: base ?? [], ours: ours, theirs: theirs)
    if files.all.contains(where: isBinary) { return Result(status: .keepBoth, content: nil, decisions: []) }
    let opened = files.map(Envelope.open)
    let roots = [Three<Int?>(base: base == nil ? nil : 0, ours: 0, theirs: 0)]
    var forest = ForestMerge(opened.map { Outline($0.text) }, files: roots, options: options)
    if let numbered = FootnoteNumbers.unified(forest.table) {
      forest = ForestMerge(numbered.map { Outline($0) }, files: roots, options: options)
    }
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
