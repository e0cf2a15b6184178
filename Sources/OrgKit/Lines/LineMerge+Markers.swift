extension LineMerge {
  /// The labels after the markers of a conflict.
  public struct Labels: Sendable, Equatable {
    /// The name of our side.
    public var ours: String
    /// The name of the common base.
    public var base: String
    /// The name of their side.
    public var theirs: String

    /// Names for the three versions.
    public init(ours: String = "ours", base: String = "base", theirs: String = "theirs") {
      self.ours = ours
      self.base = base
      self.theirs = theirs
    }
  }

  /// Returns the result with conflicts between seven-character markers, including the base, in git's `diff3` style.
  public func marked(with labels: Labels = Labels()) -> [UInt8] {
    var text = MarkedText(lineEnd: usesCarriageReturns ? [.carriageReturn, .newline] : [.newline])
    for section in sections {
      switch section {
      case .merged(let lines): text.append(lines)
      case .conflict(let conflict): text.append(conflict, labels)
      }
    }
    return text.bytes
  }

  private var usesCarriageReturns: Bool {
    let texts = sections.map { section in
      switch section {
      case .merged(let lines): lines
      case .conflict(let conflict): conflict.ours
      }
    }
    guard let text = texts.first(where: { $0.contains(.newline) }), let end = text.firstIndex(of: .newline) else {
      return false
    }
    return end > text.startIndex && text[end - 1] == .carriageReturn
  }
}

/// A text being built, in which markers are always on separate lines.
struct MarkedText {
  let lineEnd: [UInt8]
  private(set) var bytes: [UInt8] = []

  init(lineEnd: [UInt8]) {
    self.lineEnd = lineEnd
  }

  mutating func append(_ lines: some Sequence<UInt8>) {
    bytes += lines
  }

  mutating func append(_ conflict: LineMerge.Conflict, _ labels: LineMerge.Labels) {
    marker("<<<<<<<", labels.ours)
    append(conflict.ours)
    marker("|||||||", labels.base)
    append(conflict.base)
    marker("=======", "")
    append(conflict.theirs)
    marker(">>>>>>>", labels.theirs)
  }

  private mutating func marker(_ sign: String, _ label: String) {
    if let last = bytes.last, last != .newline { bytes += lineEnd }
    bytes += label.isEmpty ? Array(sign.utf8) : Array("\(sign) \(label)".utf8)
    bytes += lineEnd
  }
}
