/// The state of one verb: the buffers that it reads and changes, and what it still has to ask and to log.
///
/// The functions of verbs follow the commands of Org step by step, because the order of their effects is visible in the file.
struct OrgEditor {
  var files: OrgFileSet
  let context: OrgContext
  /// The buffer that the verb works in.
  var buffer = OrgBuffer(path: "", content: nil)
  private var parked: [String: OrgBuffer] = [:]
  private var fileOptions: [String: FileOptions] = [:]
  /// The headline of the verb's entry; nil above the first one.
  var heading: Int?
  /// The line of the verb's list item or text.
  var line: Int?
  /// The log item that waits for its note.
  var pendingLog: PendingLog?
  var effects: [OrgEffect] = []
  private var answers: ArraySlice<String>
  private var notes: ArraySlice<OrgNote>
  /// Local settings of a verb, before those of the file.
  var overrides: [String: OrgValue] = [:]

  init(_ files: OrgFileSet, _ context: OrgContext) {
    (self.files, self.context) = (files, context)
    (answers, notes) = (context.answers[...], context.notes[...])
  }

  // MARK: Files

  /// The settings of the current file.
  var options: FileOptions {
    mutating get {
      if let options = fileOptions[buffer.path] { return options }
      let options = FileOptions(buffer.text, context.settings)
      fileOptions[buffer.path] = options
      return options
    }
  }

  /// Gives a file the states of another one, for an entry that has come from there.
  mutating func setStates(_ states: OrgStates, of path: String) {
    var options = fileOptions[path] ?? FileOptions(buffer.text, context.settings)
    options.states = states
    fileOptions[path] = options
  }

  /// Returns the value of a variable in the current file.
  mutating func value(_ name: String, default: OrgValue = .none) -> OrgValue {
    overrides[name] ?? options.settings.value(name, default: `default`)
  }

  mutating func isOn(_ name: String, default: Bool = false) -> Bool {
    value(name, default: `default` ? .yes : .none).isTrue
  }

  /// Makes a file the current one; it is created if it does not exist and may be new.
  mutating func open(_ path: String, mayBeNew: Bool = false) throws(Refusal) {
    if buffer.path == path { return }
    let content = parked[path] == nil ? files[path] : nil
    guard parked[path] != nil || content != nil || mayBeNew else {
      throw Refusal(.notFound, "file \(path) not found")
    }
    parked[buffer.path] = buffer
    buffer = parked.removeValue(forKey: path) ?? OrgBuffer(path: path, content: content)
  }

  /// True if the file exists or was opened by this verb.
  mutating func exists(_ path: String) -> Bool { buffer.path == path || parked[path] != nil || files[path] != nil }

  /// Refuses the verb if it has changed an entry with a conflict.
  func refuseTouchedConflicts() throws(Refusal) {
    for buffer in [buffer] + parked.keys.sorted().compactMap({ parked[$0] }) where buffer.hasTouchedConflict {
      throw Self.conflict(at: nil, in: buffer.path)
    }
  }

  /// Returns the files with all changes, and the effects.
  mutating func finish(_ files: inout OrgFileSet) -> [OrgEffect] {
    parked[buffer.path] = buffer
    for path in parked.keys.sorted() where path != "" {
      guard let buffer = parked[path], buffer.isChanged else { continue }
      let content = buffer.content
      if self.files[path] == content { continue }
      self.files.write(content, to: path)
      effects.append(.changed(file: path))
    }
    files = self.files
    return effects
  }

  // MARK: Questions

  /// Returns the next answer, or refuses with the question.
  mutating func ask(_ question: String) throws(Refusal) -> String {
    guard let answer = answers.popFirst() else { throw Refusal(.question, question) }
    return answer
  }

  /// Returns the next answer, if there is one.
  mutating func answer() -> String? { answers.popFirst() }

  mutating func confirm(_ question: String) throws(Refusal) -> Bool {
    ["y", "yes"].contains(try ask(question))
  }

  mutating func askForNote(_ question: String) throws(Refusal) -> OrgNote {
    guard let note = notes.popFirst() else { throw Refusal(.question, question) }
    return note
  }

  /// Reads a date as a person typed it; missing parts come from `standard`, or the present time.
  func readDate(
    _ text: String, standard: OrgMoment? = nil, _ settings: OrgSettings
  ) throws(Refusal) -> OrgDateReader.Reading {
    let reader = OrgDateReader(now: context.now, zone: context.zone, standard: standard, settings: settings)
    return context.refusesUnclearDates ? try reader.readStrictly(text) : try reader.read(text)
  }

  /// Returns the headline of the verb's entry; refuses above the first one.
  func entry() throws(Refusal) -> Int {
    guard let heading else { throw Refusal(.notFound, "no entry at this place in \(buffer.path)") }
    return heading
  }

  /// True if the text is laid out as Org 9.5 does it, where it differs from 9.7.
  var hasOldLayout: Bool { context.settings.text("org-version", default: "9.7").hasPrefix("9.5") }
}
