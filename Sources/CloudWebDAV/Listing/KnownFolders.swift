internal import SyncKit

/// What is known of each folder before a listing: its files stand side by side among the known entries.
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

  /// What is known of `folder`, with everything below it.
  func sum(of folder: SyncPath) -> FileSum { folders[folder]?.sum ?? FileSum() }

  /// Where its files are among the known entries.
  func range(of folder: SyncPath) -> Range<Int> { folders[folder]?.range ?? 0..<0 }
}

/// Which files are there in which versions, in one value that does not depend on their order.
struct FileSum: Hashable, Sendable {
  private var sum: UInt128 = 0

  /// No files.
  init() {}

  mutating func add(_ path: SyncPath, _ revision: Revision) {
    sum ^= Digest(of: path.bytes + [0] + revision.bytes).bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Adds what `other` stands for, of which nothing has been added.
  mutating func add(_ other: FileSum) { sum ^= other.sum }

  var text: String { String(sum, radix: 16) }

  init?(_ text: Substring) {
    guard let sum = UInt128(text, radix: 16) else { return nil }
    self.sum = sum
  }
}
