internal import RsyncWire
internal import SyncKit

/// A lookup of files by name.
struct LookupQuery: Sendable {
  var paths: [SyncPath]
  /// The paths whose contents are fetched, where to, and the previous version of each.
  var fetched: Set<SyncPath> = []
  var sink: (any ContentSink)?
  var basis: @Sendable (SyncPath) async throws(SyncError) -> Content? = { _ in nil }
  /// Returns the paths to remove, given the files that were found.
  var removal: (@Sendable ([SyncPath: ListedFile]) -> [SyncPath])?

  init(_ paths: [SyncPath]) { self.paths = paths }
}

/// The result of a lookup.
struct LookupResult: Sendable {
  var files: [SyncPath: ListedFile] = [:]
  var contents: [SyncPath: Fetched] = [:]
  /// The paths that the remote host was asked to remove.
  var removed: [SyncPath] = []
  /// True if files that are not listed do not exist.
  var isWhole = false
  /// True if all files to remove are gone. Servers before 3.2 report only as text that one is not.
  var isQuiet = false
  /// The error output of rsync.
  var errorLines: [String] = []
}

/// The result of fetching one file.
enum Fetched: Sendable {
  case content(digest: Digest, size: Int)
  /// The file has changed since it was listed.
  case changed
  /// The file is larger than the limit.
  case tooLarge
  case missing
}

extension RemoteHost {
  /// Looks up files by name, with the hashes of their contents.
  func lookUp(_ query: LookupQuery) async throws(SyncError) -> LookupResult {
    guard !query.paths.isEmpty else { return LookupResult(isWhole: true, isQuiet: true) }
    let limits = limits
    let (found, exit) = try await exchange(
      .lookUp(removing: query.removal != nil), hashing: hashed(query.paths)
    ) { program throws(ExchangeFailure) in
      // In list order, so that each folder is listed once.
      let names = Set(query.paths).sorted().map(\.bytes)
      let reading = try wire { () throws(RsyncError) in try Reading(program, .names(names), limits: limits) }
      return try await Self.lookUp(reading, query, limits)
    }
    guard [0, 23, 24].contains(exit.status) else { throw ErrorTranslator(folder, exit).error(.wire(.brokenOff)) }
    record(found.files.values)
    var lookup = found
    lookup.errorLines += exit.errorLines
    lookup.isWhole = lookup.isWhole && exit.status == 0
    // A host may print a greeting; a line of rsync reports something that was not done.
    lookup.isQuiet = lookup.isWhole && !lookup.errorLines.contains(where: Complaint.isFromRsync)
    return lookup
  }

  private static func lookUp(
    _ reading: Reading, _ query: LookupQuery, _ limits: RsyncLimits
  ) async throws(ExchangeFailure) -> LookupResult {
    var lookup = LookupResult()
    var indices: [SyncPath: Int] = [:]
    for (index, file) in reading.list.files.enumerated() {
      guard let path = SyncPath(bytes: file.name), lookup.files[path] == nil else { continue }
      lookup.files[path] = file
      indices[path] = index
    }
    if let sink = query.sink {
      var fetching = Fetching(reading, sink, query.basis)
      let wanted = indices.filter { query.fetched.contains($0.key) && lookup.files[$0.key]?.kind == .file }
      let taken = wanted.filter { lookup.files[$0.key].map(limits.allow) ?? false }
      lookup.contents = try await fetching.run(taken)
      for path in wanted.keys where taken[path] == nil { lookup.contents[path] = .tooLarge }
    }
    for path in query.removal?(lookup.files) ?? [] {
      guard let index = indices[path] else { continue }
      try wire { () throws(RsyncError) in try reading.release(index) }
      lookup.removed.append(path)
    }
    try wire { () throws(RsyncError) in try reading.finish() }
    lookup.isWhole = !reading.hasErrors
    lookup.errorLines = lines(reading.remarks)
    return lookup
  }
}
