import OrgKit
import SyncKit

/// Hands files to OrgKit: Org text and other text by lines, everything else side by side.
struct OrgMerger: ContentMerger {
  /// Larger texts are kept side by side rather than held in memory three times.
  private static let largestText = 32 << 20

  private static let suffixes = [
    ".org", ".org_archive", ".txt", ".md", ".markdown", ".bib", ".tex", ".csv", ".el", ".html", ".css", ".xml", ".json",
    ".yaml", ".yml", ".toml", ".ini", ".conf", ".sh", ".py", ".rst", ".ledger", ".journal", ".dat",
  ].map { Array($0.utf8) }

  func merges(_ path: SyncPath, size: Int) -> Bool {
    size <= Self.largestText && (!path.name.dropFirst().contains(UInt8(ascii: ".")) || isText(path))
  }

  private func isText(_ path: SyncPath) -> Bool {
    Self.suffixes.contains { path.name.suffix($0.count) == $0[...] }
  }

  func merge(_ files: [MergeInput]) -> [SyncPath: MergeResult] {
    var results: [SyncPath: MergeResult] = [:]
    for file in files { results[file.path] = merge(file) }
    return results
  }

  /// Both sides have to be text and to have a common origin; a file that one side removed is not this merger's affair.
  private func merge(_ file: MergeInput) -> MergeResult? {
    guard let local = file.local, let remote = file.remote else { return nil }
    guard let base = file.base, isText(base), isText(local), isText(remote) else {
      return local == remote ? .clean(local) : .sideBySide
    }
    return LineMerge(base: base, ours: local, theirs: remote).content.map(MergeResult.clean) ?? .sideBySide
  }

  /// Text holds no NUL, as git sees it.
  private func isText(_ bytes: [UInt8]) -> Bool { !bytes.prefix(8_000).contains(0) }

  func isMarked(_ text: [UInt8]) -> Bool { false }
}
