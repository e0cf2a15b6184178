/// The tag groups of files: `#+TAGS: [ GTD : Control ]` makes `GTD` match `Control` too.
public struct OrgTagGroups: Sendable, Hashable {
  private var members: [String: [String]] = [:]

  /// No groups.
  public init() {}

  /// The groups that a file declares.
  public init(_ document: OrgDocument) {
    for line in document.settings("TAGS") { read(line) }
  }

  /// True if there are no groups.
  public var isEmpty: Bool { members.isEmpty }

  /// Adds the groups of another file.
  public mutating func formUnion(_ other: OrgTagGroups) { members.merge(other.members) { $0 + $1 } }

  /// The groups with their members, sorted.
  public var lines: [String] { members.map { "\($0.key) : \($0.value.joined(separator: " "))" }.sorted() }

  /// Adds a group from a line of ``lines``.
  public mutating func add(line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 2, words[1] == ":" else { return }
    members[words[0], default: []] += words.dropFirst(2)
  }

  private mutating func read(_ line: String) {
    var (group, isMember) = ([String](), false)
    var words = line.split(separator: " ").map(String.init)[...]
    while let word = words.popFirst() {
      switch word {
      case "[", "{": (group, isMember) = ([], true)
      case "]", "}":
        if group.count > 2, group[1] == ":" { members[group[0], default: []] += group.dropFirst(2) }
        isMember = false
      default: if isMember { group.append(word == ":" ? word : Self.withoutKey(word)) }
      }
    }
  }

  /// Removes the access key of `work(w)`.
  private static func withoutKey(_ word: String) -> String {
    word.hasPrefix("{") ? word : String(word.prefix { $0 != "(" })
  }

  /// Returns a group's tag and all its members, also those of groups in it; nil for a tag that is not a group.
  func expanded(_ tag: String) -> [String]? {
    guard members[tag] != nil else { return nil }
    var (found, open) = ([String](), [tag])
    while let next = open.popLast() {
      guard !found.contains(next) else { continue }
      found.append(next)
      open += members[next] ?? []
    }
    return found
  }
}
