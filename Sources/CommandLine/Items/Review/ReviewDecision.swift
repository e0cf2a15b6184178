import OrgKit
import SyncDaemon

/// What a person decides about an entry of the inbox, as typed: a letter, and what it needs.
enum ReviewDecision: Equatable {
  /// Make it a next action.
  case next
  /// Make it a project with this first action.
  case project(String)
  /// Schedule it.
  case schedule(String)
  /// Move it below another entry or into a file.
  case refile(String)
  case archive
  /// Delete it.
  case drop
  /// Decide another time.
  case later
  case quit

  /// The question.
  static let question =
    "next, project ACTION, schedule DATE, refile TARGET, archive, drop, later, quit? [n,p,s,r,a,d,l,q] "
  /// The explanation of the answers.
  static let help =
    "n makes it a next action, p ACTION a project with a first action, s DATE schedules it, r FILE::Title moves it, a archives it, "
    + "d deletes it, l asks again in the next review, q ends the review; `syncd undo last` takes a decision back"

  /// Parses an answer. Throws the explanation of the answers, or of a date that is not one.
  init(_ line: String) throws(Refusal) {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = String((words.count > 1 ? words[1] : "").trimmingPrefix { $0 == " " })
    switch (words.first, rest.isEmpty) {
    case ("n", true): self = .next
    case ("p", false): self = .project(rest)
    case ("s", false): self = .schedule(try TypedWords(date: rest).text)
    case ("r", false): self = .refile(rest)
    case ("a", true): self = .archive
    case ("d", true): self = .drop
    case ("l", true): self = .later
    case ("q", true): self = .quit
    default: throw Refusal(.invalid, Self.help)
    }
  }

  /// The words of the decision, for the history.
  var words: String {
    switch self {
    case .next: "next"
    case .project: "project"
    case .schedule: "schedule"
    case .refile: "refile"
    case .archive: "archive"
    case .drop: "drop"
    case .later: "later"
    case .quit: "quit"
    }
  }

  /// Applies the decision to an entry, which must still be as it was shown.
  func apply(
    to item: OrgItem, in files: inout OrgFileSet, _ context: OrgContext, readWith settings: OrgSettings
  ) throws(Refusal) -> [OrgEffect] {
    let place = try item.unchangedPlace(in: &files, settings)
    switch self {
    case .next: return try OrgKit.apply(.todo(.state(ReviewSteps.next)), to: place, in: &files, context)
    case .project(let action):
      let effects = try OrgKit.apply(
        .insertHeading(.lastChild, title: "\(ReviewSteps.next) \(action)"), to: place, in: &files, context)
      // In a file without this state, the word would be part of the title.
      let document = OrgDocument(files[item.file] ?? [], todoKeywords: settings.todoLines)
      let hasWord = OrgItems(document, file: item.file).contains { $0.title == "\(ReviewSteps.next) \(action)" }
      guard !hasWord else {
        throw Refusal(.invalid, "the state \(ReviewSteps.next) is not valid in \(item.file)")
      }
      return effects
    case .schedule(let date):
      let change = OrgDateChange.set(date, repeater: nil, warning: nil)
      return try OrgKit.apply(.schedule(change), to: place, in: &files, context)
    case .refile(let target):
      guard let selector = ItemSelector(target) else { throw Refusal(.invalid, "a target is missing") }
      let goal = try selector.existingPlace(in: &files, context)
      return try OrgKit.apply(
        .refile(OrgRefile(to: .place(goal), newChild: nil, isCopy: false)), to: place, in: &files, context)
    case .archive: return try OrgKit.apply(.archive(.subtree), to: place, in: &files, context)
    case .drop: return try OrgKit.apply(.delete, to: place, in: &files, context)
    case .later, .quit: return []
    }
  }
}

extension OrgItem {
  /// The place of the entry. Throws if another program has changed the file in the meantime, so that another entry is there.
  ///
  /// - Parameter settings: the settings with which the item was read.
  func unchangedPlace(in files: inout OrgFileSet, _ settings: OrgSettings) throws(Refusal) -> OrgPlace {
    let document = OrgDocument(files[file] ?? [], todoKeywords: settings.todoLines)
    guard OrgItems(document, file: file).contains(where: { $0.line == line && $0.path == path }) else {
      throw Refusal(.blocked, "\(file) was changed meanwhile, and line \(line) is not the entry that was shown")
    }
    return OrgPlace(file: file, entry: .line(line))
  }
}
