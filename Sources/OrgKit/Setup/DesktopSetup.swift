/// The Org setup of a desktop: its keywords, tags and priorities, as far as a remote reports them.
///
/// A backend stores it as a record in its remote's journal. The program shows it, and its merger uses the keywords for files
/// that declare none.
public struct DesktopSetup: Hashable, Sendable {
  /// The values of the `#+TODO:` lines, such as `TODO NEXT | DONE`.
  public var todo: [String]
  /// The tags that the desktop offers.
  public var tags: [String]
  /// The priorities that the desktop offers, highest first.
  public var priorities: [String]

  /// Creates a setup.
  public init(todo: [String] = [], tags: [String] = [], priorities: [String] = []) {
    self.todo = todo
    self.tags = tags
    self.priorities = priorities
  }
}

extension DesktopSetup {
  /// The key of the record in the remote's journal.
  public static let journalKey = "desktop"

  /// The encoded record: a line for each value, which begins with its kind.
  public var record: [UInt8] {
    let lines = todo.map { "todo \($0)" } + tags.map { "tag \($0)" } + priorities.map { "priority \($0)" }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Decodes a record. Ignores lines of an unknown kind.
  public init(record: [UInt8]) {
    self.init()
    for line in String(decoding: record, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "todo": todo.append(parts[1])
      case "tag": tags.append(parts[1])
      case "priority": priorities.append(parts[1])
      default: continue
      }
    }
  }
}

extension DesktopSetup {
  /// Returns the keywords of several `#+TODO:` lines as one: the open states, a bar, the done ones. In a line without a bar the
  /// last word is the only done state (Org manual, "Workflow states").
  public static func united(_ todo: [String]) -> String {
    var (open, done): ([String], [String]) = ([], [])
    for line in todo {
      let words = line.split(separator: " ").map(String.init)
      let bar = words.firstIndex(of: "|") ?? max(words.count - 1, 0)
      open += words[..<bar].filter { !open.contains($0) && !done.contains($0) }
      done += words[bar...].filter { $0 != "|" && !done.contains($0) && !open.contains($0) }
    }
    return (open + ["|"] + done).joined(separator: " ")
  }
}
