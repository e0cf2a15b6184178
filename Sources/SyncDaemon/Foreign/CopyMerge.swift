import SyncKit

/// The merge of a conflict copy into its file. Which version the copy was made from is unknown: the nearest one is the base.
struct CopyMerge {
  private let merger: any ContentMerger
  private let archive: any Archive
  private let path: SyncPath
  /// The digests of the file's versions, newest first. Their contents are read one by one.
  private let versions: ArraySlice<Digest>
  private let file: [UInt8]
  private let copy: [UInt8]
  /// The version with the fewest lines that the copy lacks or adds; the oldest of several.
  private var nearest: Base?
  /// True if at least half of the lines of the copy and one of the versions are the same, so that they are versions of one file.
  private(set) var isRelated: Bool

  private struct Base {
    var index: Int
    var bytes: [UInt8]
    var distance: Int
  }

  /// The maximum number of versions to compare with the copy.
  private static let versionLimit = 1_000
  /// The maximum number of older bases to try.
  private static let baseLimit = 32

  /// - Parameters:
  ///   - archive: has the contents of the versions; those that it lacks are skipped.
  ///   - versions: the digests of the file's versions in the history, newest first.
  init(
    merger: any ContentMerger, archive: any Archive, path: SyncPath, versions: [Digest], file: [UInt8], copy: [UInt8]
  ) async throws(SyncError) {
    (self.merger, self.archive, self.path, self.file, self.copy) = (merger, archive, path, file, copy)
    self.versions = versions.prefix(Self.versionLimit)
    let lines = LineCounts(copy)
    isRelated = lines.isSimilar(to: LineCounts(file))
    for index in self.versions.indices {
      guard let bytes = try await content(self.versions[index]) else { continue }
      let version = LineCounts(bytes)
      isRelated = isRelated || lines.isSimilar(to: version)
      let distance = lines.distance(to: version)
      if distance <= nearest?.distance ?? .max { nearest = Base(index: index, bytes: bytes, distance: distance) }
    }
  }

  /// Returns the file with everything in the copy.
  func result() async throws(SyncError) -> MergeResult {
    guard let nearest else { return await merge(base: nil) }
    let result = await merge(base: nearest.bytes)
    guard case .clean(let bytes) = result else { return result }
    var best = (bytes: bytes, removed: removedLines(by: bytes))
    var tries = 0
    // The copy lacks these lines: they were deleted from it, or added to the file after the copy was made. In doubt, they
    // stay: an older base that merges cleanly and keeps more of them is preferred.
    for digest in versions[(nearest.index + 1)...] where best.removed > 0 && tries < Self.baseLimit {
      guard let base = try await content(digest) else { continue }
      tries += 1
      guard case .clean(let bytes) = await merge(base: base) else { continue }
      let removed = removedLines(by: bytes)
      if removed < best.removed { best = (bytes, removed) }
    }
    return .clean(best.bytes)
  }

  /// The digest of the base.
  var base: Digest? { nearest.map { versions[$0.index] } }

  /// Returns the content of a version; nil if the history does not have it, or it is too large for a merge.
  private func content(_ digest: Digest) async throws(SyncError) -> [UInt8]? {
    guard let content = try await archive.content(digest), merger.merges(path, size: content.size) else { return nil }
    return try await content.bytes()
  }

  private func merge(base: [UInt8]?) async -> MergeResult {
    let input = MergeInput(path: path, base: base, local: file, remote: copy)
    return await merger.merge([input], preferring: nil)[path] ?? .sideBySide()
  }

  /// The number of lines of the file that a merge does not have.
  private func removedLines(by merge: [UInt8]) -> Int { LineCounts(file).missing(in: LineCounts(merge)) }
}

/// The number of occurrences of each line of a text that is not blank.
private struct LineCounts {
  private let counts: [ArraySlice<UInt8>: Int]
  private let total: Int

  init(_ text: [UInt8]) {
    let lines = text.split(separator: UInt8(ascii: "\n")).filter { line in !line.allSatisfy { $0 <= 0x20 } }
    counts = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
    total = lines.count
  }

  func missing(in other: LineCounts) -> Int {
    counts.reduce(0) { $0 + max(0, $1.value - (other.counts[$1.key] ?? 0)) }
  }

  /// The number of lines that only one of the texts has.
  func distance(to other: LineCounts) -> Int { missing(in: other) + other.missing(in: self) }

  /// Returns true if at least half of the lines of the longer text are in both.
  func isSimilar(to other: LineCounts) -> Bool { (total - missing(in: other)) * 2 >= max(total, other.total) }
}
