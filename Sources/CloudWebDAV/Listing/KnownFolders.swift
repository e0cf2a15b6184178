internal import SyncKit

/// The known entries of each folder before a listing: the files of a folder are adjacent among the known entries.
struct KnownFolders {
  private var folders: [SyncPath: (range: Range<Int>, sum: FileSum)] = [:]

  init(_ known: Known) {
    for index in 0..<known.count {
      let (path, revision) = known[index]
      for folder in path.ancestors {
        var (range, sum) = folders[folder] ?? (index..<index, FileSum())
        sum.add(path, revision)
        range = range.lowerBound..<index + 1
        folders[folder] = (range, sum)
      }
    }
  }

  /// The sum of the known files in `folder` at any depth.
  func sum(of folder: SyncPath) -> FileSum { folders[folder]?.sum ?? FileSum() }

  /// The range of its files among the known entries.
  func range(of folder: SyncPath) -> Range<Int> { folders[folder]?.range ?? 0..<0 }
}

/// An order-independent sum of files and their versions.
struct FileSum: Hashable, Sendable {
  private var sum: UInt128 = 0

  /// No files.
  init() {}

  mutating func add(_ path: SyncPath, _ revision: Revision) {
    sum ^= Digest(of: path.bytes + [0] + revision.bytes).bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Adds the files of `other`, which must be disjoint from those added so far.
  mutating func add(_ other: FileSum) { sum ^= other.sum }

  var text: String { String(sum, radix: 16) }

  init?(_ text: Substring) {
    guard let sum = UInt128(text, radix: 16) else { return nil }
    self.sum = sum
  }
}
