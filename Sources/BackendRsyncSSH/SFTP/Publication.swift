internal import SyncKit

/// The move of one file in the exclusive mode, after everything was staged.
struct Move: Hashable, Sendable {
  var path: SyncPath
  /// The path of the staged new version; nil for a removal.
  var staged: SyncPath?
  /// The path to which the current version is moved; nil if no file is expected.
  var kept: SyncPath?

  /// True if a file must exist afterwards, the old or the new version.
  var isReplacement: Bool { staged != nil && kept != nil }

  /// The paths that must exist as files.
  fileprivate var needed: [SyncPath] { [staged, kept.map { _ in path }].compactMap(\.self) }
}

/// The requests that put staged files in place.
///
/// One request moves away the current version, whatever it is by then; the next links the new version to the free name, and
/// fails if another writer was faster. So nothing is ever overwritten. Both requests of a file are sent together: the name is
/// missing only between two steps of the server, and longer only if the server dies at that point.
struct Publication {
  private let client: SFTPClient
  private let root: [UInt8]
  /// The files that could not be put in place, with the reasons.
  private(set) var obstacles: [SyncPath: String] = [:]

  /// The number of files in transit at a time: few enough that both requests of each file are sent together.
  private static let batch = 500

  init(_ client: SFTPClient, root: [UInt8]) {
    self.client = client
    self.root = root
  }

  private func full(_ path: SyncPath) -> [UInt8] { root + path.bytes }

  // MARK: Preparation

  /// Creates the folders, and returns the moves that are possible: the staged file has arrived, the file to move away is a
  /// file, and every folder above is a folder.
  mutating func prepare(_ moves: [Move], below folders: [SyncPath]) throws(SFTPError) -> [Move] {
    let ordered = Array(folders.deepestFirst.reversed())
    _ = try client.perform(ordered.map { .makeFolder(full($0)) })
    let kinds = try client.perform(ordered.map { .stat(full($0)) })
    let blocked = Set(zip(ordered, kinds).filter { $1 != .found(.folder) }.map(\.0))
    var ready: [Move] = []
    for move in try arrived(moves) {
      if move.path.ancestors.contains(where: blocked.contains) {
        obstacles[move.path] = "cannot create its folder"
      } else {
        ready.append(move)
      }
    }
    return ready
  }

  private func arrived(_ moves: [Move]) throws(SFTPError) -> [Move] {
    var replies = try client.perform(moves.flatMap(\.needed).map { .stat(full($0)) })[...]
    return moves.filter { move in
      let own = replies.prefix(move.needed.count)
      replies = replies.dropFirst(own.count)
      return own.allSatisfy { $0 == .found(.file) }
    }
  }

  /// Tests with a staged file if links are possible.
  func prove(with staged: SyncPath, in staging: SyncPath) throws(SFTPError) {
    guard let second = staging.appending(Array("\(ReservedName.marker)-link.tmp".utf8)) else { return }
    try prove(with: staged, at: second)
  }

  /// Tests with a file if the server can give it a second name, and refuses to do so over an existing file.
  func prove(with file: SyncPath, at second: SyncPath) throws(SFTPError) {
    let link = SFTPRequest.link(full(file), to: full(second))
    let replies = try client.perform([link, link, .remove(full(second))])
    if let message = replies[0].refusal { throw .lacks("hard links (\(message))") }
    guard replies[1].refusal != nil else { throw .lacks("hard links that refuse to overwrite") }
  }

  // MARK: Moving

  mutating func run(_ moves: [Move]) throws(SFTPError) {
    for start in stride(from: 0, to: moves.count, by: Self.batch) {
      let part = moves[start..<min(start + Self.batch, moves.count)]
      let replies = try client.perform(part.flatMap(steps))
      var (rest, nameless) = (replies[...], [Move]())
      for move in part {
        let away = move.kept.flatMap { _ in rest.popFirst() }
        let put = move.staged.flatMap { _ in rest.popFirst() }
        obstacles[move.path] = put?.refusal ?? away?.refusal
        if put?.refusal != nil { nameless.append(move) }
      }
      try link(nameless)
    }
  }

  private func steps(_ move: Move) -> [SFTPRequest] {
    let away = move.kept.map { SFTPRequest.move(full(move.path), to: full($0)) }
    let put = move.staged.map { SFTPRequest.link(full($0), to: full(move.path)) }
    return [away, put].compactMap(\.self)
  }

  // MARK: Restoring

  /// Restores the names of files that were moved away without a replacement. Returns the files that are still without their
  /// names.
  func moveBack(_ moves: [Move]) throws(SFTPError) -> [SyncPath] {
    let waiting = moves.filter(\.isReplacement)
    try link(waiting)
    let live = try client.perform(waiting.map { .stat(full($0.path)) })
    let kept = try client.perform(waiting.compactMap(\.kept).map { .stat(full($0)) })
    return waiting.indices.filter { live[$0].isMissing && kept[$0] == .found(.file) }.map { waiting[$0].path }
  }

  /// Links files that were moved aside to their names; refused if another writer has used the name, which is correct.
  private func link(_ moves: [Move]) throws(SFTPError) {
    _ = try client.perform(moves.compactMap { move in move.kept.map { .link(full($0), to: full(move.path)) } })
  }

  func discard(_ files: [SyncPath], _ folders: [SyncPath]) throws(SFTPError) {
    _ = try client.perform(files.map { .remove(full($0)) })
    _ = try client.perform(folders.deepestFirst.map { .removeFolder(full($0)) })
  }
}

extension [SyncPath] {
  /// The folders sorted so that each follows those inside it.
  var deepestFirst: [SyncPath] { sorted { $0.bytes.count > $1.bytes.count } }
}
