import Foundation

/// Commits of a repository.
extension Repository {
  struct Person: Decodable {
    var name: String?
    var email: String?
    var date: String?

    /// The line of a commit.
    func line(at now: Date) -> String {
      let time = date.flatMap { try? Date($0.replacing("+00:00", with: "Z"), strategy: .iso8601) } ?? now
      return "\(name ?? "Test") <\(email ?? "test@example.org")> \(Int(time.timeIntervalSince1970)) +0000"
    }
  }

  struct Commit {
    var tree = ""
    var parents: [String] = []
    var author: (name: String, email: String, date: String) = ("", "", "")
    var committer: (name: String, email: String, date: String) = ("", "", "")
    var message = ""
  }

  func putCommit(
    _ tree: String, _ parents: [String], _ message: String, author: Person? = nil, committer: Person? = nil
  ) throws -> String {
    let now = Date()
    let unknown = Person(name: nil, email: nil, date: nil)
    let lines =
      ["tree \(tree)"] + parents.map { "parent \($0)" } + [
        "author \((author ?? unknown).line(at: now))",
        "committer \((committer ?? author ?? unknown).line(at: now))", "", message,
      ]
    return try put("commit", Array(lines.joined(separator: "\n").utf8))
  }

  func commit(_ id: String) throws -> Commit {
    let text = String(decoding: try bytes(id, "commit"), as: UTF8.self)
    let end = text.firstRange(of: "\n\n") ?? text.endIndex..<text.endIndex
    var commit = Commit(message: String(text[end.upperBound...]))
    for line in text[..<end.lowerBound].split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { continue }
      switch words[0] {
      case "tree": commit.tree = String(words[1])
      case "parent": commit.parents.append(String(words[1]))
      case "author": commit.author = Self.person(words[1])
      case "committer": commit.committer = Self.person(words[1])
      default: break
      }
    }
    return commit
  }

  private static func person(_ line: Substring) -> (name: String, email: String, date: String) {
    let parts = line.split(whereSeparator: { $0 == "<" || $0 == ">" })
    let seconds = parts.last.flatMap { Double($0.split(separator: " ").first ?? "") } ?? 0
    let date = Date(timeIntervalSince1970: seconds).ISO8601Format()
    return (parts.first.map { String($0.dropLast()) } ?? "", parts.count > 1 ? String(parts[1]) : "", date)
  }

  /// A commit and everything that it descends from.
  func ancestors(_ id: String) throws -> Set<String> {
    var (found, open): (Set<String>, [String]) = ([], [id])
    while let next = open.popLast() {
      if found.insert(next).inserted { open += try commit(next).parents }
    }
    return found
  }
}
