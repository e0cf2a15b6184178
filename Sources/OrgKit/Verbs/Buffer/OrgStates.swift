/// The task states of a file with their keys and logging, sequence by sequence.
struct OrgStates: Sendable {
  /// What is logged when a state is entered or left.
  enum Logging: Sendable { case time, note }

  /// A state.
  struct State: Sendable {
    let name: String
    let key: Character?
    var entering: Logging?
    var leaving: Logging?
    let isDone: Bool
    /// The number of its sequence.
    let sequence: Int
  }

  private(set) var states: [State] = []
  /// The same states for parsing headlines.
  private(set) var keywords: Keywords

  /// The states of declarations such as `TODO(t) WAIT(w@/!) | DONE(d!)`.
  init(declared lines: [String]) {
    keywords = Keywords(declared: lines)
    for (sequence, line) in lines.enumerated() { declare(line, sequence) }
  }

  private mutating func declare(_ line: String, _ sequence: Int) {
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    let bar = words.firstIndex(of: "|") ?? words.count - 1
    for (place, word) in words.enumerated() where word != "|" {
      let isDone = place > bar || !words.contains("|") && place == bar
      guard let state = State(word, isDone: isDone, sequence: sequence), self[state.name] == nil else { continue }
      states.append(state)
    }
  }

  /// Returns a state by its name.
  subscript(name: String) -> State? { states.first { $0.name == name } }

  func isDone(_ name: String?) -> Bool { name.flatMap { self[$0] }?.isDone ?? false }

  /// Returns true for a state that is a task to do.
  func isOpen(_ name: String?) -> Bool { name.flatMap { self[$0] }.map { !$0.isDone } ?? false }

  /// Returns the states of a sequence.
  func sequence(_ number: Int) -> [State] { states.filter { $0.sequence == number } }

  /// The first states of all sequences.
  var heads: [State] {
    states.indices.filter { $0 == 0 || states[$0].sequence != states[$0 - 1].sequence }.map { states[$0] }
  }

  /// Returns the first state of the sequence of a state, or of the file.
  func head(of name: String) -> State? { sequence(self[name]?.sequence ?? 0).first }

  /// True if any state is logged.
  var areLogged: Bool { states.contains { $0.entering != nil || $0.leaving != nil } }

  /// Replaces the logging of all states by that of a property `LOGGING`.
  mutating func setLogging(_ words: [Substring]) {
    for index in states.indices { (states[index].entering, states[index].leaving) = (nil, nil) }
    for word in words {
      guard let setting = State(String(word), isDone: false, sequence: 0),
        let index = states.firstIndex(where: { $0.name == setting.name })
      else { continue }
      (states[index].entering, states[index].leaving) = (setting.entering, setting.leaving)
    }
  }
}

extension OrgStates.State {
  /// Parses `WAIT(w@/!)`.
  fileprivate init?(_ word: String, isDone: Bool, sequence: Int) {
    (self.isDone, self.sequence) = (isDone, sequence)
    guard let open = word.firstIndex(of: "("), word.last == ")", open > word.startIndex else {
      (name, key, entering, leaving) = (word, nil, nil, nil)
      return
    }
    name = String(word[..<open])
    let setting = word[word.index(after: open)...].dropLast()
    key = setting.first.flatMap { "@/!".contains($0) ? nil : $0 }
    let parts = setting.split(separator: "/", omittingEmptySubsequences: false)
    (entering, leaving) = (Self.logging(parts[0]), parts.count > 1 ? Self.logging(parts[1]) : nil)
  }

  private static func logging(_ text: Substring) -> OrgStates.Logging? {
    switch text.last {
    case "@": .note
    case "!": .time
    default: nil
    }
  }
}
