/// The text of a TOML file, which is edited in place: comments, order and layout stay.
///
/// Tables and values are found by the keys from the root. What is written in braces is not edited: each function throws an error
/// that says where it is.
package struct TOMLText: Sendable {
  private var scalars: [Unicode.Scalar]
  private var statements: [TOMLStatement] = []
  private let file: String
  /// The byte order mark at the beginning, if there is one.
  private let mark: [UInt8]

  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - file: its name in messages.
  /// - Throws: the mistakes of the file; a file with mistakes cannot be edited.
  package init(_ bytes: some Sequence<UInt8>, file: String) throws(SettingsError) {
    self.file = file
    scalars = DecodedText(Array(bytes), file: file).scalars
    mark = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark : []
    let document = TOMLDocument(bytes, file: file)
    guard document.mistakes.isEmpty else { throw SettingsError(document.mistakes) }
    statements = document.statements
  }

  /// The text as UTF-8.
  package var bytes: [UInt8] { mark + Array(text.utf8) }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private var text: String { String(String.UnicodeScalarView(scalars)) }

  /// Returns true if a statement defines `path` or something in it.
  package func contains(_ path: [String]) -> Bool { statements.contains { $0.isInside(path) } }

  // MARK: Editing

  /// Adds tables at the end, after an empty line. Mistakes in them are found when the text is interpreted.
  package mutating func append(_ block: String) {
    while let last = scalars.last, last == "\n" || last == "\r" || last == " " { scalars.removeLast() }
    scalars += Array(((scalars.isEmpty ? "" : "\n\n") + block).unicodeScalars)
    statements = TOMLDocument(bytes, file: file).statements
  }

  /// Sets the value at `path`, whose last key is that of the value. A missing table is added after those that surround it.
  ///
  /// - Parameter value: the value in TOML.
  package mutating func set(_ value: String, at path: [String]) throws(SettingsError) {
    try refuseBraces(around: path)
    if let statement = statements.first(where: { $0.path == path }) {
      guard case .value(let span) = statement.kind else {
        throw mistake("\(Self.name(path)) is a table", at: statement)
      }
      replace(span, by: value)
    } else {
      insert("\(TOMLValue.key(path.last ?? "")) = \(value)\n", into: Array(path.dropLast()))
    }
    try parse()
  }

  /// Removes the value or the tables at `path`, with the comments directly above. Returns false if there is nothing.
  @discardableResult
  package mutating func remove(_ path: [String]) throws(SettingsError) -> Bool {
    try refuseBraces(around: path)
    let isTable =
      statements.contains { $0.path == path && $0.kind == .header } || !statements.contains { $0.path == path }
    let parts = runs(of: path)
    for part in parts.reversed() { scalars.removeSubrange(lines(of: part, withBlankLines: isTable)) }
    if isTable { removeBlankLinesAtEnd() }
    try parse()
    return !parts.isEmpty
  }

  /// Gives the table at `path` another name in all its headers and keys.
  package mutating func rename(_ path: [String], to name: String) throws(SettingsError) {
    try refuseBraces(around: path)
    let spans = statements.filter { $0.isInside(path) }.compactMap { statement -> Range<Int>? in
      let index = path.count - 1 - (statement.path.count - statement.keys.count)
      return statement.keys.indices.contains(index) ? statement.keys[index] : nil
    }
    for span in spans.sorted(by: { $0.lowerBound > $1.lowerBound }) { replace(span, by: TOMLValue.key(name)) }
    try parse()
  }

  private mutating func parse() throws(SettingsError) { self = try TOMLText(bytes, file: file) }

  private mutating func replace(_ span: Range<Int>, by text: String) {
    scalars.replaceSubrange(span, with: text.unicodeScalars)
  }

  /// Adds a line to the table at `path`, after its last value.
  private mutating func insert(_ line: String, into path: [String]) {
    guard let header = statements.firstIndex(where: { $0.path == path && $0.kind == .header }) else {
      // After the last table that belongs to the same one, such as that of a remote.
      let parent = Array(path.dropLast())
      let last = parent.isEmpty ? nil : statements.last { $0.isInside(parent) }
      let block = "[\(path.map(TOMLValue.key).joined(separator: "."))]\n\(line)"
      let place = last.map { lineEnd($0.span.upperBound) } ?? scalars.count
      scalars.insert(contentsOf: (terminated(before: place) + "\n" + block).unicodeScalars, at: place)
      return
    }
    let last = statements[header...].dropFirst().prefix { $0.kind != .header }.last ?? statements[header]
    let place = lineEnd(last.span.upperBound)
    scalars.insert(contentsOf: (terminated(before: place) + line).unicodeScalars, at: place)
  }

  /// The newline that is missing at the end of the file.
  private func terminated(before place: Int) -> String { place == 0 || scalars[place - 1] == "\n" ? "" : "\n" }

  private mutating func removeBlankLinesAtEnd() {
    while let last = scalars.indices.last.map({ lineStart($0) }), last > 0, isBlank(last) {
      scalars.removeSubrange(last...)
    }
  }

  // MARK: Places

  /// The statements inside `path`, as ranges of neighbours.
  private func runs(of path: [String]) -> [ClosedRange<Int>] {
    var runs: [ClosedRange<Int>] = []
    for index in statements.indices where statements[index].isInside(path) {
      if let last = runs.last, last.upperBound == index - 1 {
        runs[runs.count - 1] = last.lowerBound...index
      } else {
        runs.append(index...index)
      }
    }
    return runs
  }

  /// The lines of neighbouring statements: with the comments directly above and, below, those that no other statement follows
  /// directly.
  private func lines(of run: ClosedRange<Int>, withBlankLines: Bool) -> Range<Int> {
    var start = lineStart(statements[run.lowerBound].span.lowerBound)
    while start > 0, isComment(lineStart(start - 1)) { start = lineStart(start - 1) }
    // The comment at the top is the file's own.
    if start == 0 { start = lineStart(statements[run.lowerBound].span.lowerBound) }
    var end = lineEnd(statements[run.upperBound].span.upperBound)
    guard withBlankLines else { return start..<end }
    var below = end
    while below < scalars.count, isComment(below) { below = lineEnd(below) }
    if below == scalars.count || isBlank(below) { end = below }
    while end < scalars.count, isBlank(end) { end = lineEnd(end) }
    return start..<end
  }

  private func lineStart(_ place: Int) -> Int {
    scalars[..<place].lastIndex(of: "\n").map { $0 + 1 } ?? 0
  }

  /// The beginning of the next line.
  private func lineEnd(_ place: Int) -> Int {
    scalars[place...].firstIndex(of: "\n").map { $0 + 1 } ?? scalars.count
  }

  private func isComment(_ line: Int) -> Bool {
    scalars[line..<lineEnd(line)].first { $0 != " " && $0 != "\t" } == "#"
  }

  private func isBlank(_ line: Int) -> Bool {
    scalars[line..<lineEnd(line)].allSatisfy { [" ", "\t", "\r", "\n"].contains($0) }
  }

  // MARK: Mistakes

  /// Throws if `path` is written inside a value.
  private func refuseBraces(around path: [String]) throws(SettingsError) {
    let outer = statements.first { statement in
      guard case .value = statement.kind else { return false }
      return statement.path.count < path.count && path.starts(with: statement.path)
    }
    if let outer { throw mistake("`\(Self.name(outer.path))` is written in braces; edit it by hand", at: outer) }
  }

  private func mistake(_ message: String, at statement: TOMLStatement) -> SettingsError {
    var location = TextLocation(file: file)
    for scalar in scalars[..<statement.span.lowerBound] { location.advance(over: scalar) }
    return SettingsError(message, at: location)
  }

  private static func name(_ path: [String]) -> String { path.joined(separator: ".") }
}
