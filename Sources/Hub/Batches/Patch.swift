/// One edit that a device asks for.
struct Patch: Sendable, Hashable {
  /// The kind of an edit.
  enum Operation: String, Sendable, CaseIterable {
    case edit, add, move, copy, archive, remove, check, note
    case clockIn = "clock-in"
    case clockOut = "clock-out"
    case clockCancel = "clock-cancel"
  }

  /// The change of a text, a date, a state or another value of an entry.
  struct Change: Sendable, Hashable {
    /// The value that the device had; outer nil if it did not say.
    var old: String??
    /// The wanted value; nil for none.
    var new: String?
  }

  /// A field of an entry with one value.
  enum Field: String, Sendable, CaseIterable {
    case title, priority, body, scheduled, deadline, todo

    /// True if the value is a date.
    var isDate: Bool { self == .scheduled || self == .deadline }
  }

  var operation: Operation
  /// The entry; for `add` the device's own name for the answer.
  var id = ""
  /// The revision of the entry that the device had; for `remove` that of its subtree.
  var revision: String?
  /// The changes of fields.
  var fields: [Field: Change] = [:]
  var addedTags: [String] = []
  var removedTags: [String] = []
  var properties: [String: Change] = [:]
  /// The target of `add`, `move` and `copy`: an entry or a file; nil for the inbox.
  var target: String?
  /// The key of a capture template.
  var template: String?
  /// The text of a note, a captured entry or the beginning of a list item.
  var text = ""
  /// The answers to the questions of a template.
  var answers: [String] = []
  /// A link for a template.
  var link: Link?
  /// The states of a checkbox that the device had, and wants.
  var wasOn: Bool?
  var isOn = true

  struct Link: Sendable, Hashable {
    var url: String
    var title: String
  }
}
