internal import RsyncWire
internal import SyncKit

/// What is asked about some files by name.
struct Question: Sendable {
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
struct Sight: Sendable {
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

extension FarSide {
  /// Looks files up by name: what they are, with the hashes of their contents.
  func look(_ question: Question) async throws(SyncError) -> Sight {
    guard !question.paths.isEmpty else { return Sight(isWhole: true, isQuiet: true) }
    let limits = limits
    let (found, ending) = try await converse(
      .look(removing: question.removal != nil), hashing: hashed(question.paths)
    ) { program throws(ExchangeFailure) in
      // In the order of the list, so that each folder is listed once.
      let names = Set(question.paths).sorted().map(\.bytes)
      let reading = try wire { () throws(RsyncError) in try Reading(program, .names(names), limits: limits) }
      return try await Self.look(reading, question, limits)
    }
    guard [0, 23, 24].contains(ending.status) else { throw Trouble(place, ending).error(.wire(.brokenOff)) }
    note(found.files.values)
    var sight = found
    sight.errorLines += ending.errorLines
    sight.isWhole = sight.isWhole && ending.status == 0
    // A host may print a greeting; a line of rsync is about something that was not done.
    sight.isQuiet = sight.isWhole && !sight.errorLines.contains(where: Complaint.isFromRsync)
    return sight
  }

  private static func look(
    _ reading: Reading, _ question: Question, _ limits: RsyncLimits
  ) async throws(ExchangeFailure) -> Sight {
    var sight = Sight()
    var indices: [SyncPath: Int] = [:]
    for (index, file) in reading.list.files.enumerated() {
      guard let path = SyncPath(bytes: file.name), sight.files[path] == nil else { continue }
      sight.files[path] = file
      indices[path] = index
    }
    if let sink = question.sink {
      var fetching = Fetching(reading, sink, question.basis)
      let wanted = indices.filter { question.fetched.contains($0.key) && sight.files[$0.key]?.kind == .file }
      let taken = wanted.filter { sight.files[$0.key].map(limits.allow) ?? false }
      sight.contents = try await fetching.run(taken)
      for path in wanted.keys where taken[path] == nil { sight.contents[path] = .tooLarge }
    }
    for path in question.removal?(sight.files) ?? [] {
      guard let index = indices[path] else { continue }
      try wire { () throws(RsyncError) in try reading.release(index) }
      sight.removed.append(path)
    }
    try wire { () throws(RsyncError) in try reading.finish() }
    sight.isWhole = !reading.hasErrors
    sight.errorLines = lines(reading.remarks)
    return sight
  }
}
