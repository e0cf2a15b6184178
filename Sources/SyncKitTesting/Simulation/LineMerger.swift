public import SyncKit

/// Merges contents whose lines are all different: the result has the lines that both kept, and those that either added.
///
/// It is the simplest correct merger, for tests of the code around a merge. If the sides removed different lines, it adds a
/// conflict mark.
public struct LineMerger: ContentMerger {
  static let mark = "<<<<<<<"

  public init() {}

  public func merges(_ path: SyncPath, size: Int) -> Bool { path.name.last == UInt8(ascii: "g") }

  public func isMarked(_ text: [UInt8], at path: SyncPath) -> Bool? { Lines.of(text).contains(Self.mark) }

  public func merge(_ files: [MergeInput], preferring side: Side?) -> [SyncPath: MergeResult] {
    Dictionary(
      files.compactMap { file in merge(file, preferring: side).map { (file.path, $0) } }, uniquingKeysWith: { $1 })
  }

  private func merge(_ file: MergeInput, preferring side: Side?) -> MergeResult? {
    // A file that one side changed is as that side has it.
    if let local = file.local, let remote = file.remote, file.base == local || file.base == remote {
      return .clean(file.base == local ? remote : local)
    }
    guard let local = file.local.map(Lines.of), let remote = file.remote.map(Lines.of) else { return nil }
    let base = file.base.map(Lines.of) ?? []
    let gone = [local, remote].map { Set(base).subtracting($0) }
    let lines = Set(local + remote).subtracting(gone[0]).subtracting(gone[1])
    let isContested = !gone[0].isEmpty && !gone[1].isEmpty && gone[0] != gone[1]
    // In alphabetical order, so that the result does not depend on which side is local.
    guard isContested else { return .clean(Lines.bytes(lines.sorted())) }
    if let side, let preferred = side == .local ? file.local : file.remote { return .decided(preferred) }
    return .marked(Lines.bytes(lines.union([Self.mark]).sorted()))
  }
}
