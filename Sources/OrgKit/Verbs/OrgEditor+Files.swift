extension OrgEditor {
  /// Carries out a verb that may change several files, or blocks.
  mutating func performOnFiles(_ verb: OrgVerb) throws(Refusal) {
    switch verb {
    case .capture(let capture): try self.capture(capture)
    case .refile(let refile): try self.refile(refile)
    case .archive(let archive): try self.archive(archive)
    case .clockIn(let start): try clockIn(start: start)
    case .clockOut(let end): try clockOut(end: end)
    case .clockCancel: try clockCancel()
    case .updateClockTime: updateClock(at: line ?? heading ?? 0)
    case .updateBlock(let all): try updateBlocks(all: all)
    case .insertClockTable(let parameters): try insertClockTable(parameters)
    case .dateTree(let day, let text): try insertIntoDateTree(day, text)
    default: throw Refusal(.invalid, "unknown verb")
    }
  }
}
