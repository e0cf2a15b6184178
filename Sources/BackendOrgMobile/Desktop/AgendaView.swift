internal import OrgKit
public import SyncKit

/// A view in `agendas.org`, which the desktop creates for phones that cannot create their own.
public enum AgendaView: Hashable, Sendable {
  /// The entries of today and the following days, for this number of days.
  case days(Int)
  /// All open tasks.
  case todo
  /// The entries that match tags and states.
  case match(String)

  /// The key of such a view in Emacs.
  var key: String {
    switch self {
    case .days: "a"
    case .todo: "t"
    case .match: "m"
    }
  }

  /// The title of the view on a phone.
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

  /// Parses `7 days`, `todo` or `match TAGS/STATES`.
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
