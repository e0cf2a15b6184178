/// Where a capture goes.
struct CapturePlace {
  /// The headline of the target; nil for the file.
  var heading: Int?
  /// The place that a regular expression found.
  var exact: Int?
}

extension OrgEditor {
  /// Adds what a template describes.
  mutating func capture(_ capture: OrgCapture) throws(Refusal) {
    let template = try CaptureTemplate(key: capture.key, in: context.settings, &files)
    let words = try CaptureWords(capture, &self)
    var time = context.now
    if template.option(":time-prompt").isTrue {
      let reading = try readDate(try ask("Date for tree entry"), context.settings)
      time = reading.hasTime || reading.moment.day == time.day ? reading.moment : OrgMoment(day: reading.moment.day)
    }
    let place = try capturePlace(template, day: time.day)
    let text = try filled(template, capture, words, time)
    guard !capture.isAborted else { return undoCapture() }
    let range = try insert(text, template, place)
    let end = buffer.mark(range.upperBound)
    finishCapture(template, capture, range.lowerBound..<buffer[end])
    try clockCapture(template)
  }

  /// Forgets what finding the place has changed.
  private mutating func undoCapture() {
    self = OrgEditor(files, context)
  }

  // MARK: Target

  private mutating func capturePlace(_ template: CaptureTemplate, day: OrgDay) throws(Refusal) -> CapturePlace {
    let words = template.target.dropFirst().compactMap(\.text)
    let kind = template.target.first?.symbol ?? ""
    switch kind {
    case "id":
      try visit(OrgPlace(file: "", entry: .id(words.first ?? template.target.dropFirst().first?.symbol ?? "")))
      return CapturePlace(heading: heading)
    case "clock":
      guard try findRunningClock() else {
        throw Refusal(.notFound, "No running clock that could be used as capture target")
      }
      return CapturePlace(heading: heading)
    case "file", "file+headline", "file+olp", "file+regexp", "file+olp+datetree", "file+datetree", "file+weektree":
      try openCaptureFile(words.first ?? "")
      return try placeInFile(kind, Array(words.dropFirst()), template, day)
    case "function", "file+function", "here":
      throw Refusal(.needsEmacs, "the target \(kind) of the template \(template.key) needs Emacs")
    default: throw Refusal(.invalid, "Invalid capture target specification: \(kind)")
    }
  }

  private mutating func openCaptureFile(_ path: String) throws(Refusal) {
    let standard = context.settings.text("org-default-notes-file", default: "notes.org")
    guard let name = files.relative(path.isEmpty ? standard : path) else {
      throw Refusal(.invalid, "the file \(path) is not in the folder \(files.folder)")
    }
    try open(name, mayBeNew: true)
  }

  private mutating func placeInFile(
    _ kind: String, _ words: [String], _ template: CaptureTemplate, _ day: OrgDay
  ) throws(Refusal) -> CapturePlace {
    switch kind {
    case "file": return CapturePlace()
    case "file+headline": return CapturePlace(heading: headlineTarget(words.first ?? ""))
    case "file+olp": return CapturePlace(heading: try find(words))
    case "file+regexp":
      let expression = try EmacsRegex.compiled(words.first ?? "")
      let text = buffer.text.string
      guard let match = text.firstMatch(of: expression) else {
        throw Refusal(.notFound, "No match for target regexp in file \(buffer.path)")
      }
      let index = template.isPrepended ? match.range.lowerBound : match.range.upperBound
      let position = text.utf8.distance(from: text.startIndex, to: index)
      let line = buffer.lineStart(position)
      return CapturePlace(heading: buffer.level(at: line) == nil ? nil : line, exact: position)
    default:
      let parent = words.isEmpty ? nil : try find(words)
      let isWeek = kind == "file+weektree" || template.option(":tree-type").symbol == "week"
      let isMonth = template.option(":tree-type").symbol == "month"
      return CapturePlace(heading: dateTreeNode(day, isWeek ? .week : isMonth ? .month : .day, below: parent))
    }
  }

  /// Returns the first entry with a title; it is made at the end of the file if missing.
  private mutating func headlineTarget(_ title: String) -> Int {
    let keywords = options.states.keywords
    if let found = buffer.headings.first(where: { Headline(buffer.line($0), keywords: keywords).isTitled(title) }) {
      return found
    }
    var end = buffer.count
    if !buffer.isLineStart(end) {
      buffer.insert("\n", at: end)
      end += 1
    }
    buffer.insert("* \(title)\n", at: end)
    return end
  }

  // MARK: Finishing

  private mutating func finishCapture(_ template: CaptureTemplate, _ capture: OrgCapture, _ range: Range<Int>) {
    let isImmediate = template.option(":immediate-finish").isTrue
    var point = range.lowerBound
    if let cursor = buffer.text[range].firstRange(of: Array("%?".utf8)) {
      buffer.delete(cursor)
      point = cursor.lowerBound
    }
    if !isImmediate {
      buffer.insert(capture.text, at: point)
      point += capture.text.utf8.count
    }
    let table = template.kind == .table ? buffer.mark(point) : nil
    if let heading = buffer.heading(containing: point) {
      let mark = buffer.mark(heading)
      updateParentStatistics(heading)
      updateCheckboxCount(all: false, at: buffer[mark])
      self.heading = buffer[mark]
    } else {
      heading = nil
    }
    if let table { alignTable(at: buffer[table]) }
    effects.append(.entry(file: buffer.path, line: buffer.lineNumber(heading ?? point)))
  }

  private mutating func clockCapture(_ template: CaptureTemplate) throws(Refusal) {
    guard template.option(":clock-in").isTrue, let heading else { return }
    let (file, mark) = (buffer.path, buffer.mark(heading))
    var interrupted: (String, OrgBuffer.Mark)?
    if try findRunningClock(), let running = self.heading { interrupted = (buffer.path, buffer.mark(running)) }
    try open(file)
    self.heading = buffer[mark]
    try clockIn(start: nil)
    guard !template.option(":clock-keep").isTrue else { return }
    overrides["org-log-note-clock-out"] = OrgValue.none
    try clockOut(end: nil)
    overrides["org-log-note-clock-out"] = nil
    if template.option(":clock-resume").isTrue, let interrupted {
      try open(interrupted.0)
      self.heading = buffer[interrupted.1]
      try clockIn(start: nil)
    }
  }
}
