extension OrgDiff: CustomStringConvertible {
  /// The changes as text: one line per entry, its fields below, text as removed and added lines.
  public var description: String { changes.map(\.description).joined(separator: "\n") }
}

extension OrgDiff.Change: CustomStringConvertible {
  /// The change as text.
  public var description: String {
    let name = path.isEmpty ? "(top of the file)" : path.joined(separator: "/")
    let place = movedFrom.map { " (was \($0.joined(separator: "/")))" } ?? ""
    return (["\(sign) \(name)\(place)"] + fields.flatMap(\.lines).map { "    \($0)" }).joined(separator: "\n")
  }

  private var sign: String {
    switch kind {
    case .added: "+"
    case .removed: "-"
    case .changed: "~"
    }
  }
}

extension OrgDiff.Field {
  /// The lines that describe the change.
  fileprivate var lines: [String] {
    if name == "text" { return textLines }
    switch (old, new) {
    case (let old?, let new?): return ["\(name): \(old) → \(new)"]
    case (nil, let new?): return ["\(name): + \(new)"]
    case (let old?, nil): return ["\(name): - \(old)"]
    case (nil, nil): return []
    }
  }

  private var textLines: [String] {
    let (before, after) = (Self.lines(old), Self.lines(new))
    let alignment = Alignment(before, after)
    var lines: [String] = []
    var next = 0
    for (index, partner) in alignment.partners.enumerated() {
      guard let partner else {
        lines.append("- \(before[index].string)")
        continue
      }
      lines += after[next..<partner].map { "+ \($0.string)" }
      next = partner + 1
    }
    return lines + after[next...].map { "+ \($0.string)" }
  }

  private static func lines(_ text: String?) -> [Bytes] {
    text.map { Array($0.utf8).split(separator: .newline, omittingEmptySubsequences: false) } ?? []
  }
}
