internal import RsyncWire
internal import SyncKit

/// What is asked about some files by name.
struct LookupQuery: Sendable {
  var paths: [SyncPath]
  /// Those of them whose contents are fetched, where to, and what each may be the difference to.
  var fetched: Set<SyncPath> = []
  var sink: (any ContentSink)?
  var basis: @Sendable (SyncPath) async throws(SyncError) -> Content? = { _ in nil }
  /// Those that may be removed, once it is known what they are.
  var removal: (@Sendable ([SyncPath: ListedFile]) -> [SyncPath])?

  init(_ paths: [SyncPath]) { self.paths = paths }
}

/// What was found.
struct LookupResult: Sendable {
  var files: [SyncPath: ListedFile] = [:]
  var contents: [SyncPath: Fetched] = [:]
  /// What the remote host was asked to remove.
  var removed: [SyncPath] = []
  /// True if files that are not listed do not exist.
  var isWhole = false
  /// True if everything that was to be removed is gone. Servers before 3.2 tell only in words that something was not.
  var isQuiet = false
  /// The error output of rsync.
  var errorLines: [String] = []
}

/// How fetching one file ended.
enum Fetched: Sendable {
  case content(digest: Digest, size: Int)
  /// It is not what it was when it was listed.
  case changed
  /// It is larger than what is taken.
  case tooLarge
  case missing
}

extension RemoteHost {
  /// Looks files up by name: what they are, with the hashes of their contents.
  func lookUp(_ query: LookupQuery) async throws(SyncError) -> LookupResult {
    guard !query.paths.isEmpty else { return LookupResult(isWhole: true, isQuiet: true) }
    let limits = limits
    let (found, exit) = try await exchange(
      .lookUp(removing: query.removal != nil), hashing: hashed(query.paths)
    ) { program throws(ExchangeFailure) in
      // In the order of the list, so that each folder is listed once.
      let names = Set(query.paths).sorted().map(\.bytes)
      let reading = try wire { () throws(RsyncError) in try Reading(program, .names(names), limits: limits) }
      return try await Self.lookUp(reading, query, limits)
    }
    guard [0, 23, 24].contains(exit.status) else { throw ErrorTranslator(folder, exit).error(.wire(.brokenOff)) }
    record(found.files.values)
    var lookup = found
    lookup.errorLines += exit.errorLines
    lookup.isWhole = lookup.isWhole && exit.status == 0
    // A host may print a greeting; a line of rsync is about something that was not done.
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
