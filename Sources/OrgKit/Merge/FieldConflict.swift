/// A conflict about one field, as listed in the drawer of the entry.
struct FieldConflict: Equatable {
  /// The fields in the order in which their conflicts are listed.
  enum Field: Int, Comparable {
    case file, entry, parent, keyword, priority, title, planning, property, body

    static func < (left: Field, right: Field) -> Bool { left.rawValue < right.rawValue }
  }

  /// One of the values to choose from.
  struct Choice: Equatable {
    /// The value; nil for none.
    var value: [UInt8]?
    /// True if the entry now has this value.
    var stands: Bool
  }

  let field: Field
  /// The name of the field in the drawer: `title`, `property Effort`.
  let name: [UInt8]
  let choices: [Choice]

  init(_ field: Field, _ name: some Sequence<UInt8>, standing: [UInt8]?, other: [UInt8]?) {
    self.field = field
    self.name = Array(name)
    choices = [Choice(value: standing, stands: true), Choice(value: other, stands: false)]
  }

  /// A conflict whose variants are both in the text, the smaller one first.
  init(bothStand first: [UInt8], _ second: [UInt8], _ name: some Sequence<UInt8>, field: Field = .body) {
    self.field = field
    self.name = Array(name)
    choices = (precedes(second, first) ? [second, first] : [first, second]).map { Choice(value: $0, stands: true) }
  }

  /// The conflict's lines in the drawer.
  var lines: [[UInt8]] {
    choices.map { choice in
      Array((choice.stands ? "- [X] " : "- [ ] ").utf8) + name + (choice.value.map { Array(": ".utf8) + $0 } ?? [])
    }
  }
}
