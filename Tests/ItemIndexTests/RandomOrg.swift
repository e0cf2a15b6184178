/// Random Org files and random edits of them.
struct RandomOrg {
  private(set) var files: [String: String] = [:]

  init(_ numbers: inout Numbers) {
    for name in ["a.org", "b/c.org", "é.org"] {
      files[name] = Self.text((0..<12).map { _ in Self.entry(&numbers) })
    }
  }

  /// Changes a line, inserts, removes or moves an entry, changes settings, or adds or removes a file.
  mutating func edit(_ numbers: inout Numbers) {
    let name = files.keys.sorted().randomElement(using: &numbers) ?? "a.org"
    var lines = (files[name] ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let place = Int.random(in: 0..<max(1, lines.count), using: &numbers)
    switch Int.random(in: 0..<9, using: &numbers) {
    case 0: lines.insert(Self.entry(&numbers), at: place)
    case 1: if !lines.isEmpty { lines.remove(at: place) }
    case 2: lines.insert(Self.line(&numbers), at: place)
    case 3: lines.shuffle(using: &numbers)
    case 4:
      lines.insert(
        ["#+FILETAGS: :work:", "#+TODO: TODO WAIT | DONE", "#+CATEGORY: other", ""].randomElement(using: &numbers)!,
        at: 0)
    case 5: files["new\(place).org"] = Self.text([Self.entry(&numbers), Self.entry(&numbers)])
    case 6 where files.count > 2: files[name] = nil
    default: if place < lines.count { lines[place] += " milk" }
    }
    if files[name] != nil { files[name] = lines.joined(separator: "\n") }
  }

  private static func text(_ entries: [String]) -> String { entries.joined(separator: "\n") + "\n" }

  private static func entry(_ numbers: inout Numbers) -> String {
    let stars = String(repeating: "*", count: Int.random(in: 1...4, using: &numbers))
    let state = ["", "", "TODO ", "DONE ", "WAIT "].randomElement(using: &numbers)!
    let priority = ["", "", "[#A] ", "[#B] "].randomElement(using: &numbers)!
    let title = ["Alpha", "Buy old milk", "Ärger", "Café <2026-03-11 Wed>", "COMMENT Hidden"].randomElement(
      using: &numbers)!
    let tags = ["", "", " :work:", " :home:work:", " :ARCHIVE:"].randomElement(using: &numbers)!
    let planning = [
      "", "", "SCHEDULED: <2026-03-09 Mon +1w>\n", "DEADLINE: <2026-03-20 Fri -3d>\n", "SCHEDULED: <2026-04-10 Fri>\n",
      "CLOSED: [2026-03-01 Sun 10:00] DEADLINE: <2026-03-01 Sun>\n", "SCHEDULED: <2026-03-10 Tue .+2d/4d>\n",
    ].randomElement(using: &numbers)!
    let drawer = [
      "", "", ":PROPERTIES:\n:EFFORT: 1:00\n:COORDINATES: 48.2,16.3\n:END:\n",
      ":PROPERTIES:\n:STYLE: habit\n:CATEGORY: q\n:BEFORE: shopping\n:END:\n",
    ].randomElement(using: &numbers)!
    let lines = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in line(&numbers) + "\n" }.joined()
    return (stars + " " + state + priority + title + tags + "\n" + planning + drawer + lines).trimmingEnd
  }

  private static func line(_ numbers: inout Numbers) -> String {
    [
      "Fetch the old milk.", "<2026-03-12 Thu 10:00 +1w>", "<2026-03-08 Sun>--<2026-03-12 Thu>", "[2026-03-10 Tue]",
      "- State \"DONE\"       from \"TODO\"       [2026-03-09 Mon 18:00]", "%%(diary-float t 2 2) Meeting", "- [ ] box",
      "CLOCK: [2026-03-10 Tue 09:00]--[2026-03-10 Tue 10:15] =>  1:15", "#+begin_src sh", "#+end_src", "",
      "café au lait",
      "** TODO Inner :home:", "# comment <2026-03-10 Tue>",
    ].randomElement(using: &numbers)!
  }
}

extension String {
  /// The text without line feeds at its end.
  fileprivate var trimmingEnd: String {
    var text = self[...]
    while text.last == "\n" { text = text.dropLast() }
    return String(text)
  }
}
