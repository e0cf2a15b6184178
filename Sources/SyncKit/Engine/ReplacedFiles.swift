/// Files that both sides agreed on and that one side has replaced by something that is not synced, such as a symbolic link, or whose
/// folder it has replaced so. Nothing is deleted because of that, and nothing is synced: a person must know.
enum ReplacedFiles {
  /// Returns an action that is not done for each of them.
  static func all(in plan: Plan) -> [Action] {
    Side.allCases.flatMap { side -> [Action] in
      let kinds = kinds(on: side, in: plan)
      guard !kinds.isEmpty else { return [] }
      return plan.indices.compactMap { index in
        let path = plan.path(at: index)
        guard plan.scan.baseDigest(of: plan.differences[index]) != nil,
          let (part, what) = ([path] + path.ancestors).lazy.compactMap({ part in kinds[part].map { (part, $0) } }).first
        else { return nil }
        let subject = part == path ? "it" : "\(part)"
        return Action(
          path: path, kind: .copy, to: side.other.target, result: .waiting,
          detail:
            "in the \(side.word) \(subject) is now \(what). syncd does not sync that, and deletes nothing because of it: the "
            + "\(side.other.word) keeps the file. It is synced again as soon as there is a file; if you delete \(subject), the file is "
            + "deleted on the other side, too")
      }
    }
  }

  private static func kinds(on side: Side, in plan: Plan) -> [SyncPath: String] {
    var kinds: [SyncPath: String] = [:]
    for part in plan.scan[side].unread {
      if case .special(let what) = part.reason { kinds[part.path] = what }
    }
    return kinds
  }
}
