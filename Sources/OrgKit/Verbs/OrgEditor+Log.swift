/// A log item that is written at the end of a verb, when its note is known.
struct PendingLog {
  /// What is logged.
  enum Purpose {
    case done(state: String?, from: String?)
    case state(String?, from: String?)
    case note
    case reschedule(old: String)
    case removeSchedule(old: String)
    case redeadline(old: String)
    case removeDeadline(old: String)
    case refile
    case clockOut
  }

  /// How it is logged: with its time only, or with a note of the user.
  enum Manner { case time, note }

  var purpose: Purpose
  var manner: Manner
  /// The place of the entry, or for a clock of the line where the note stands.
  var mark: OrgBuffer.Mark?

  init(_ purpose: Purpose, how manner: Manner) {
    (self.purpose, self.manner) = (purpose, manner)
  }
}

extension OrgEditor {
  /// Remembers a log item for the entry; the last one of a verb is written.
  mutating func addLog(_ log: PendingLog, at position: Int? = nil) throws(Refusal) {
    var log = log
    if let position { log.mark = buffer.mark(position) } else { log.mark = buffer.mark(try entry()) }
    pendingLog = log
  }

  /// Writes the log item of the verb.
  mutating func storePendingLog() throws(Refusal) {
    guard let log = pendingLog, let mark = log.mark else { return }
    pendingLog = nil
    var note = ""
    if log.manner == .note {
      switch try askForNote(question(log)) {
      case .aborted: return
      case .text(let text): note = text
      }
    }
    var lines = Self.noteLines(note)
    if var first = header(log) {
      if !lines.isEmpty { first += " \\\\" }
      lines.insert(first, at: 0)
    }
    guard !lines.isEmpty else { return }
    store(lines, at: log.isForClock ? buffer[mark] : logBeginning(buffer[mark]))
  }

  private func question(_ log: PendingLog) -> String {
    switch log.purpose {
    case .done: "Org asks for a closing note"
    case .state(let state, _): "Org asks for a note on the state \(state ?? "")"
    case .clockOut: "Org asks for a note on the stopped clock"
    default: "Org asks for a note"
    }
  }

  /// The lines of a note without comment lines at its beginning and white space at its end.
  private static func noteLines(_ note: String) -> [String] {
    var rest = note[...]
    while rest.hasPrefix("# "), let end = rest.firstIndex(of: "\n") { rest = rest[end...].drop(while: \.isWhitespace) }
    while rest.last?.isWhitespace ?? false { rest = rest.dropLast() }
    return rest.isEmpty ? [] : rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the first line of the item; nil for a note on a clock, which has none.
  private mutating func header(_ log: PendingLog) -> String? {
    let headings = value("org-log-note-headings").elements ?? []
    let custom = headings.compactMap(\.pair).first { $0.first.symbol == log.name }?.rest.text
    guard let format = custom ?? Self.headings[log.name], format.contains(where: { !$0.isWhitespace }) else {
      return nil
    }
    let values: [Character: String] = [
      "t": context.now.timestamp(isActive: false).description, "T": context.now.timestamp(isActive: true).description,
      "d": context.now.timestamp(isActive: false, withTime: false).description,
      "D": context.now.timestamp(isActive: true, withTime: false).description,
      "s": Self.quoted(log.state), "S": Self.quoted(log.oldState), "u": context.userName, "U": context.userName,
    ]
    return format.replacingEscapes(values)
  }

  private static let headings: [String: String] = [
    "done": "CLOSING NOTE %t", "state": "State %-12s from %-12S %t", "note": "Note taken on %t",
    "reschedule": "Rescheduled from %S on %t", "delschedule": "Not scheduled, was %S on %t",
    "redeadline": "New deadline from %S on %t", "deldeadline": "Removed deadline, was %S on %t",
    "refile": "Refiled on %t", "clock-out": "",
  ]

  /// Returns a state in quotes; a timestamp is made inactive.
  private static func quoted(_ state: String?) -> String {
    guard let state else { return "" }
    if Array(state.utf8)[...].firstTimestamp(isActive: true) != nil { return "\"[\(state.dropFirst().dropLast())]\"" }
    return "\"\(state)\""
  }

  /// Writes the lines of an item at a position.
  private mutating func store(_ lines: [String], at position: Int) {
    var position = position
    if !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    } else if !buffer.isBlankLine(position) {
      buffer.insert("\n", at: position)
    }
    let blanks = buffer.skipBlanks(position)
    buffer.delete(position..<blanks)
    let indentation = listIndentation(at: position) ?? expectedIndentation(at: position)
    var text = String(repeating: " ", count: indentation) + "- " + lines[0]
    for line in lines.dropFirst() {
      let isBlank = line.allSatisfy(\.isWhitespace) && !hasOldLayout
      text += "\n" + (isBlank ? "" : String(repeating: " ", count: indentation + 2)) + line
    }
    buffer.insert(text, at: position)
  }
}

extension PendingLog {
  /// The name in `org-log-note-headings`.
  fileprivate var name: String {
    switch purpose {
    case .done: "done"
    case .state: "state"
    case .note: "note"
    case .reschedule: "reschedule"
    case .removeSchedule: "delschedule"
    case .redeadline: "redeadline"
    case .removeDeadline: "deldeadline"
    case .refile: "refile"
    case .clockOut: "clock-out"
    }
  }

  fileprivate var isForClock: Bool { if case .clockOut = purpose { true } else { false } }

  fileprivate var state: String? {
    switch purpose {
    case .done(let state, _), .state(let state, _): state
    default: nil
    }
  }

  fileprivate var oldState: String? {
    switch purpose {
    case .done(_, let old), .state(_, let old): old
    case .reschedule(let old), .removeSchedule(let old), .redeadline(let old), .removeDeadline(let old): old
    default: nil
    }
  }
}

extension String {
  /// Replaces escapes such as `%t` and `%-12s`.
  fileprivate func replacingEscapes(_ values: [Character: String]) -> String {
    var (result, rest) = ("", self[...])
    while let character = rest.popFirst() {
      guard character == "%" else {
        result.append(character)
        continue
      }
      let sign = rest.prefix { $0 == "-" || $0.isNumber }
      guard let name = rest.dropFirst(sign.count).first, let value = values[name] else {
        result.append(character)
        continue
      }
      rest = rest.dropFirst(sign.count + 1)
      let width = min(Int(sign)?.magnitude ?? 0, 1_000)
      let padding = String(repeating: " ", count: max(0, Int(width) - value.count))
      result += sign.hasPrefix("-") ? value + padding : padding + value
    }
    return result
  }
}
