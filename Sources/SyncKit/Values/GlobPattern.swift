/// One line of an ignore file, in git's syntax (gitignore(5)).
///
/// `*` and `?` match within a name, `**` any number of folders, `[a-z]` one byte of a set. A leading `!` includes again, a
/// trailing `/` matches folders only, and a `/` anywhere else anchors the pattern at the root. Bytes are compared without
/// folding or normalisation. `**` beside other characters is a plain `*`, as gitignore(5) says; git itself treats `a**/b` as
/// `a*/**/b`.
public struct GlobPattern: Sendable {
  /// True if the pattern includes files again that an earlier one ignored.
  public let isNegated: Bool
  private let foldersOnly: Bool
  /// The first and the last byte that a matching name must have; nil if any byte is possible. Most names already fail this
  /// check.
  private let edges: (first: UInt8?, last: UInt8?)
  /// The parts between separators; a pattern without an inner separator begins with `.anyFolders`.
  private let parts: [Part]

  private enum Part: Sendable {
    case anyFolders
    case name([Token])
    /// A name without wildcards; most patterns end with one.
    case literal([UInt8])

    /// The first and the last byte of every matching name; nil if any byte is possible.
    var edges: (first: UInt8?, last: UInt8?) {
      switch self {
      case .anyFolders: (nil, nil)
      case .literal(let bytes): (bytes.first, bytes.last)
      case .name(let tokens): (tokens.first?.byte, tokens.last?.byte)
      }
    }
  }

  private enum Token: Sendable {
    case byte(UInt8)
    case any
    /// A run of this many asterisks.
    case anyRun(Int)
    case set(ByteClass)
    case separator

    var byte: UInt8? { if case .byte(let byte) = self { byte } else { nil } }
  }

  /// Parses one line; nil if it is blank, a comment, or malformed, which git treats as a pattern that matches nothing: a set
  /// or an escape without an end, or an empty name between two separators.
  public init?(_ line: String) { self.init(line: Array(line.utf8)) }

  /// Parses one line, which may have bytes that are not UTF-8.
  package init?(line: [UInt8]) {
    var bytes = Self.trimmed(line)
    guard let first = bytes.first, first != UInt8(ascii: "#") else { return nil }
    isNegated = first == UInt8(ascii: "!")
    if isNegated { bytes.removeFirst() }
    foldersOnly = bytes.last == SyncPath.separator
    if foldersOnly { bytes.removeLast() }
    let isAnchored = bytes.contains(SyncPath.separator)
    if bytes.first == SyncPath.separator { bytes.removeFirst() }
    guard let tokens = Self.tokens(bytes[...]) else { return nil }
    let names = tokens.split(omittingEmptySubsequences: false) { if case .separator = $0 { true } else { false } }
    guard names.allSatisfy({ !$0.isEmpty }) else { return nil }
    parts = (isAnchored ? [] : [.anyFolders]) + names.map(Self.part)
    edges = parts.last?.edges ?? (nil, nil)
  }

  /// Returns true if the pattern matches the file or folder at `path`.
  public func matches(_ path: [UInt8], isFolder: Bool) -> Bool {
    guard isFolder || !foldersOnly, mayMatch(path) else { return false }
    if parts.count == 2, case .anyFolders = parts[0] { return Self.matches(parts[1], Self.name(of: path)) }
    return Self.matches(parts[...], path.split(separator: SyncPath.separator)[...])
  }

  private func mayMatch(_ path: [UInt8]) -> Bool {
    if let last = edges.last, path.last != last { return false }
    guard let first = edges.first else { return true }
    return Self.name(of: path).first == first
  }

  private static func name(of path: [UInt8]) -> ArraySlice<UInt8> {
    path.lastIndex(of: SyncPath.separator).map { path[($0 + 1)...] } ?? path[...]
  }

  /// The line without unquoted trailing spaces and without the carriage return of its end.
  private static func trimmed(_ line: [UInt8]) -> [UInt8] {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
    var (end, index) = (0, 0)
    while index < line.count {
      let isQuote = line[index] == UInt8(ascii: "\\")
      if line[index] != UInt8(ascii: " ") { end = min(index + (isQuote ? 2 : 1), line.count) }
      index += isQuote ? 2 : 1
    }
    return Array(line[..<end])
  }

  private static func part(_ tokens: ArraySlice<Token>) -> Part {
    if tokens.count == 1, case .anyRun(2...) = tokens.first { return .anyFolders }
    let literal = tokens.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
    return literal.count == tokens.count ? .literal(literal) : .name(Array(tokens))
  }

  private static func tokens(_ text: ArraySlice<UInt8>) -> [Token]? {
    var tokens: [Token] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*"):
        if case .anyRun(let count) = tokens.last {
          tokens[tokens.count - 1] = .anyRun(count + 1)
        } else {
          tokens.append(.anyRun(1))
        }
      case UInt8(ascii: "?"): tokens.append(.any)
      case UInt8(ascii: "\\"):
        guard let quoted = rest.popFirst() else { return nil }
        tokens.append(quoted == SyncPath.separator ? .separator : .byte(quoted))
      case UInt8(ascii: "["):
        guard let set = ByteClass(&rest) else { return nil }
        tokens.append(.set(set))
      case SyncPath.separator: tokens.append(.separator)
      default: tokens.append(.byte(byte))
      }
    }
    return tokens
  }

  private static func matches(_ parts: ArraySlice<Part>, _ names: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let part = parts.first else { return names.isEmpty }
    if case .anyFolders = part {
      // A trailing `**` matches everything inside, but not the folder itself.
      guard parts.count > 1 else { return !names.isEmpty }
      return names.indices.contains { matches(parts.dropFirst(), names[$0...]) }
    }
    guard let name = names.first else { return false }
    return matches(part, name) && matches(parts.dropFirst(), names.dropFirst())
  }

  private static func matches(_ part: Part, _ name: ArraySlice<UInt8>) -> Bool {
    switch part {
    case .anyFolders: true
    case .literal(let bytes): name.elementsEqual(bytes)
    case .name(let tokens): matches(tokens, name)
    }
  }

  /// Backtracks to the last `*` only, which suffices and keeps the time linear.
  private static func matches(_ tokens: [Token], _ name: ArraySlice<UInt8>) -> Bool {
    var (token, position) = (0, name.startIndex)
    var retry: (token: Int, position: Int)?
    while position < name.endIndex || token < tokens.count {
      if token < tokens.count, case .anyRun = tokens[token] {
        retry = (token, position + 1)
        token += 1
      } else if token < tokens.count, position < name.endIndex, accepts(tokens[token], name[position]) {
        token += 1
        position += 1
      } else if let last = retry, last.position <= name.endIndex {
        (token, position) = (last.token, last.position)
      } else {
        return false
      }
    }
    return true
  }

  private static func accepts(_ token: Token, _ byte: UInt8) -> Bool {
    switch token {
    case .byte(let expected): byte == expected
    case .any, .anyRun: true
    case .set(let set): set.accepts(byte)
    case .separator: false
    }
  }
}
