/// Resolves the open questions of a scan: the contents of changed files, and whether missing files are really deleted.
struct Inspection {
  let parts: PassParts
  /// True if both sides are synced as on the first pass: then nothing is deleted, whatever other remotes know.
  let isFirstPass: Bool
  let hidden: HiddenAgreements
  private(set) var scan: Scan
  private(set) var differences: [Difference]
  /// The files that could not be read or looked up, by path.
  private(set) var problems: [Action] = []
  /// True if something changed meanwhile, so that another pass sees more.
  private(set) var wantsAnotherPass = false
  /// True if something unknown can be decided a little later.
  private(set) var wantsSecondCheck = false

  /// The number of files that are read at a time, and the maximum size of a content that is kept when it is read for its
  /// digest; larger ones are read again when needed, so that the archive does not grow by every attachment.
  private static let window = 1_024
  private static let keptSize = 8 << 20

  init(_ scan: Scan, _ parts: PassParts, hidden: HiddenAgreements, isFirstPass: Bool = false) {
    self.parts = parts
    self.hidden = hidden
    self.isFirstPass = isFirstPass
    self.scan = scan
    self.differences = scan.differences()
  }

  /// Reads and looks up everything on which a decision depends.
  mutating func run() async throws(SyncError) {
    leaveUnknownAlone()
    for side in Side.allCases { try await read(side) }
    if !isFirstPass { scan.ancestors = try await ancestors() }
    for side in Side.allCases { try await confirmAbsences(on: side) }
  }

  private func ancestors() async throws(SyncError) -> [SyncPath: Digest] {
    let alike = try await SharedRenames(parts: parts).ancestors(in: scan, differences)
    let others = OtherRemotes(parts: parts)
    let elsewhere = try await others.ancestors(in: scan, differences)
    let united = try await UnitedAncestors(parts: parts).digests(in: scan, differences)
    return united.merging(alike) { $1 }.merging(elsewhere) { $1 }.merging(scan.ancestors(of: hidden, differences)) {
      $1
    }
    .merging(try await others.returned(in: scan, differences)) { $1 }
  }

  private mutating func leaveUnknownAlone() {
    for side in Side.allCases where !scan[side].isComplete || !scan[side].unread.isEmpty {
      for index in differences.indices where differences[index][side] == .absent {
        if scan[side].isUnknown(scan.path(of: differences[index])) { differences[index][side] = .unknown }
      }
      for index in differences.indices where differences[index][side].index != nil {
        let isPlaceholder = Placeholder(scan.path(of: differences[index])) != nil
        if isPlaceholder { differences[index][side] = differences[index][side].madeUnknown }
      }
    }
    for side in Side.allCases { leaveUnholdableAlone(on: side) }
  }

  /// Treats a name that a side cannot hold as unknown there: its absence is not a deletion.
  private mutating func leaveUnholdableAlone(on side: Side) {
    for index in differences.indices where differences[index].base >= 0 && differences[index][side] == .absent {
      // What neither side has is gone, whatever its name.
      guard differences[index][side.other] != .absent,
        let objection = scan[side].naming.violation(by: scan.path(of: differences[index]))
      else { continue }
      giveUp(index, on: side, .failed, objection)
    }
  }

  private mutating func read(_ side: Side) async throws(SyncError) {
    let wanted = differences.indices.filter { index in
      differences[index][side].index.map { scan[side].others.digest(at: $0) == nil } ?? false
    }
    .filter { !scan.staysUnread(differences[$0], on: side, parts.options.mode) }
    let sink = parts.archive.intake(keepingAtMost: Self.keptSize)
    var progress = Progress(remote: parts.name, stage: .reading, total: wanted.count)
    if !wanted.isEmpty { parts.progress(progress) }
    for start in stride(from: 0, to: wanted.count, by: Self.window) {
      try Task.checkPassGoesOn()
      let window = wanted[start..<min(start + Self.window, wanted.count)]
      let paths = window.map { scan.path(of: differences[$0]) }
      let results = try await parts[side].read(paths, into: sink).inOrder(of: paths, from: side.source)
      for (index, result) in try window.paired(with: results, from: side.source) { learn(result, of: index, on: side) }
      progress.done += window.count
      progress.bytes += results.reduce(0) { sum, result in
        if case .read(let entry) = result { sum + entry.size } else { sum }
      }
      progress.path = paths.last
      parts.progress(progress)
    }
  }

  private mutating func learn(_ result: ReadResult, of index: Int, on side: Side) {
    switch result {
    case .read(let entry):
      if let row = differences[index][side].index { scan.learn(entry, at: row, on: side) }
    case .absent:
      postpone(index, on: side, "the file disappeared while it was read; the next pass checks again")
      wantsAnotherPass = true
    case .postponed(let reason):
      postpone(index, on: side, reason)
    case .failed(let error) where error.code == .suspect:
      giveUp(index, on: side, .waiting, parts.options.describe(error), as: .hold)
    case .failed(let error):
      giveUp(index, on: side, .failed, parts.options.describe(error))
    }
  }

  private mutating func giveUp(
    _ index: Int, on side: Side, _ result: Action.Result, _ detail: String, as kind: Action.Kind = .copy
  ) {
    let target: Action.Target = side == .local ? .remote : .local
    problems.append(
      Action(path: scan.path(of: differences[index]), kind: kind, to: target, result: result, detail: detail))
    differences[index][side] = differences[index][side].madeUnknown
  }

  /// Confirms absences: a file counts as deleted only if a lookup by name confirms it (P3).
  private mutating func confirmAbsences(on side: Side) async throws(SyncError) {
    let missing = differences.indices.filter {
      scan.mayHaveBase(differences[$0])
        && differences[$0][side] == .absent && differences[$0][side.other] != .absent
    }
    .filter { parts.options.filter.accepts(scan.path(of: differences[$0])) }
    for start in stride(from: 0, to: missing.count, by: Self.window) {
      try Task.checkPassGoesOn()
      let window = missing[start..<min(start + Self.window, missing.count)]
      let paths = window.map { scan.path(of: differences[$0]) }
      let results = try await parts[side].confirm(paths).inOrder(of: paths, from: side.source)
      for (index, result) in try window.paired(with: results, from: side.source) {
        believe(result, of: index, on: side)
      }
    }
  }

  private mutating func believe(_ presence: Presence, of index: Int, on side: Side) {
    switch presence {
    case .absent: break
    case .present:
      postpone(index, on: side, "the listing lacks this file, but it exists; the next pass checks again")
      wantsAnotherPass = true
    case .postponed(let reason): postpone(index, on: side, reason)
    case .unknown(let reason): giveUp(index, on: side, .waiting, reason)
    }
  }

  private mutating func postpone(_ index: Int, on side: Side, _ reason: String) {
    giveUp(index, on: side, .waiting, reason)
    wantsSecondCheck = true
  }
}

extension Side {
  /// The side as the subject of a sentence.
  var source: String { "the \(word)" }
}

extension Task where Success == Never, Failure == Never {
  /// Throws `.cancelled` if the pass was asked to stop.
  package static func checkPassGoesOn() throws(SyncError) {
    if isCancelled { throw SyncError(.cancelled, "the pass was stopped; the next pass continues from there") }
  }
}
