import OrgKit
public import SyncKit

/// Merges files with OrgKit: Org files by their structure, other text by lines; keeps both versions of other files.
public struct OrgMerger: ContentMerger {
  private let options: OrgMerge.Options

  /// - Parameter todo: additional keywords for files that declare none, as the values of `#+TODO:` lines.
  public init(todo: [String] = []) {
    var options = OrgMerge.Options()
    options.keywords = DesktopSetup.united([options.keywords] + todo)
    self.options = options
  }

  /// The maximum size of texts that are merged; both versions of larger ones are kept, because a merge holds three in memory.
  package static let largestText = 32 << 20

  private static let textSuffixes = [
    ".txt", ".md", ".markdown", ".bib", ".tex", ".csv", ".el", ".html", ".css", ".xml", ".json", ".yaml", ".yml",
    ".toml", ".ini", ".conf", ".sh", ".py", ".rst", ".ledger", ".journal", ".dat",
  ].map { Array($0.utf8) }

  /// Returns true if a file of this name is Org text.
  package static func isOrg(_ name: some BidirectionalCollection<UInt8>) -> Bool { OrgMerge.Path(name).isOrg }

  public func merges(_ path: SyncPath, size: Int) -> Bool {
    size <= Self.largestText && (Self.isOrg(path.name) || isTextName(path.name))
  }

  /// Returns true if the name suggests text. A file without an extension may be anything; its content decides at the merge.
  private func isTextName(_ name: ArraySlice<UInt8>) -> Bool {
    !name.dropFirst().contains(UInt8(ascii: "."))
      || Self.textSuffixes.contains { name.suffix($0.count).elementsEqual($0) }
  }

  /// Merges Org files together, so that entries are followed from one file to another; then the remaining files one by one.
  public func merge(_ files: [MergeInput], preferring side: Side? = nil) -> [SyncPath: MergeResult] {
    let org = files.filter { Self.isOrg($0.path.name) }
    var results = org.count > 1 ? mergeTogether(org, preferring: side) ?? [:] : [:]
    for file in files where results[file.path] == nil { results[file.path] = merge(file, preferring: side) }
    return results
  }

  /// Returns nil if a version must be kept under its own name: the engine decides which one gets it.
  private func mergeTogether(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult]? {
    let result = OrgMerge.merge(
      base: folder(of: files, \.base), ours: folder(of: files, \.local), theirs: folder(of: files, \.remote),
      options: options(preferring: side))
    let paths = Dictionary(uniqueKeysWithValues: files.map { (OrgMerge.Path($0.path.bytes), $0.path) })
    var results: [SyncPath: MergeResult] = [:]
    for (name, content) in result.files {
      guard let path = paths[name] else { return nil }
      results[path] = result.conflicts.contains(name) ? inConflict(content, side) : .clean(content)
    }
    return results
  }

  private func options(preferring side: Side?) -> OrgMerge.Options {
    var options = options
    if let side { options.style = .decided(side.ofMerge) }
    return options
  }

  private func inConflict(_ content: [UInt8], _ side: Side?) -> MergeResult {
    side == nil ? .marked(content) : .decided(content)
  }

  private func folder(of files: [MergeInput], _ version: KeyPath<MergeInput, [UInt8]?>) -> OrgMerge.Folder {
    var folder: OrgMerge.Folder = [:]
    for file in files { folder[OrgMerge.Path(file.path.bytes)] = file[keyPath: version] }
    return folder
  }

  /// Returns nil for a file that one side does not have, which needs no merge.
  private func merge(_ file: MergeInput, preferring side: Side?) -> MergeResult? {
    guard let local = file.local, let remote = file.remote else { return nil }
    if file.base == nil, let whole = LineMerge.whole(local, remote) { return .clean(whole) }
    return Self.isOrg(file.path.name)
      ? mergeOrg(file.base, local, remote, side) : mergeLines(file.base, local, remote, side)
  }

  private func mergeOrg(_ base: [UInt8]?, _ local: [UInt8], _ remote: [UInt8], _ side: Side?) -> MergeResult {
    let result = OrgMerge.merge(base: base, ours: local, theirs: remote, options: options(preferring: side))
    guard let content = result.content else { return .sideBySide() }
    switch result.status {
    case .clean: return .clean(content)
    case .conflict: return inConflict(content, side)
    case .keepBoth: return .sideBySide()
    }
  }

  /// Merges lines; without a common ancestor they cannot be merged.
  private func mergeLines(_ base: [UInt8]?, _ local: [UInt8], _ remote: [UInt8], _ side: Side?) -> MergeResult {
    guard let base, ![base, local, remote].contains(where: OrgMerge.isBinary) else { return .sideBySide() }
    let merge = LineMerge(base: base, ours: local, theirs: remote)
    if let content = merge.content { return .clean(content) }
    return side.map { .decided(merge.decided(for: $0.ofMerge)) } ?? .sideBySide()
  }

  /// Returns true if an entry has the conflict tag, which the user removes to resolve the conflict.
  public func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? {
    let tag = Array(":\(options.tag):".utf8)
    return text.split(separator: UInt8(ascii: "\n")).contains { line in
      line.first == UInt8(ascii: "*") && line.firstRange(of: tag) != nil
    }
  }
}

extension Side {
  fileprivate var ofMerge: OrgMerge.Options.Side { self == .local ? .ours : .theirs }
}
