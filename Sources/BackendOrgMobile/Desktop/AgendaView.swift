internal import OrgKit
public import SyncKit

/// One of the views in `agendas.org`, which the desktop makes for phones that cannot make their own.
public enum AgendaView: Hashable, Sendable {
  /// What there is today and on the next days, this number in all.
  case days(Int)
  /// Every task that is open.
  case todo
  /// What a match of tags and states selects.
  case match(String)

  /// The letter by which Emacs calls such a view.
  var key: String {
    switch self {
    case .days: "a"
    case .todo: "t"
    case .match: "m"
    }
  }

  /// What a phone calls it.
  var title: String {
    switch self {
    case .days(let count): count == 7 ? "Agenda" : "Agenda of \(text)"
    case .todo: "All TODO"
    case .match(let match): match
    }
  }
}

extension AgendaView: TextSettingValue {
  public static var form: SettingForm {
    let pattern: JSON = ["type": "string", "pattern": "^([0-9]+ days?|todo|match \\S+)$"]
    return SettingForm("a view such as \"7 days\", \"todo\" or \"match work-later/NEXT\"", schema: pattern)
  }

  /// Reads `7 days`, `todo` or `match TAGS/STATES`.
  public init?(text: String) {
    let words = text.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("todo", 1): self = .todo
    case ("match", 2):
      guard OrgMatch(words[1]) != nil else { return nil }
      self = .match(words[1])
    case (let number?, 2):
      guard ["day", "days"].contains(words[1]), let count = Int(number), 1...366 ~= count else { return nil }
      self = .days(count)
    default: return nil
    }
  }

  public var text: String {
    switch self {
    case .days(let count): count == 1 ? "1 day" : "\(count) days"
    case .todo: "todo"
    case .match(let match): "match \(match)"
    }
  }
}
