/// How Org is set up on a desktop: its keywords, tags and priorities, as far as a remote that leads there tells them.
///
/// A backend keeps it as a record of its remote's journal. The program shows it, and its merger knows the keywords of files
/// that declare none.
public struct DesktopSetup: Hashable, Sendable {
  /// The values of the lines `#+TODO:`, such as `TODO NEXT | DONE`.
  public var todo: [String]
  /// The tags that the desktop offers.
  public var tags: [String]
  /// The priorities that the desktop offers, the highest one first.
  public var priorities: [String]

  /// A setup of exactly this.
  public init(todo: [String] = [], tags: [String] = [], priorities: [String] = []) {
    self.todo = todo
    self.tags = tags
    self.priorities = priorities
  }
}

extension DesktopSetup {
  /// The key of the record in the remote's journal.
  public static let journalKey = "desktop"

  /// The record: a line for each value, which begins with what it is.
  public var record: [UInt8] {
    let lines = todo.map { "todo \($0)" } + tags.map { "tag \($0)" } + priorities.map { "priority \($0)" }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// The setup in a record. Lines of an unknown kind are left out.
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
  /// All keywords of these lines `#+TODO:` in one: the open states, a bar, the done ones. Where a line has no bar its last
  /// word is the only done state (Org manual, "Workflow states").
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
