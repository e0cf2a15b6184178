internal import OrgKit
internal import SyncKit

/// `index.org` of a staging area: the files, and the desktop's Org settings.
struct StagingIndex: Hashable, Sendable {
  /// The values of the `#+TODO:` lines, as the desktop wrote them.
  var todoLines: [String] = []
  var tags: [String] = []
  var priorities: [String] = []
  /// The literal names of the files, in index order.
  var names: [Bytes] = []

  init() {}

  /// Parses an index, even one that a person has written: links may be anywhere.
  init(_ bytes: Bytes) {
    for line in bytes.textLines {
      if let (key, value) = Self.setting(line) { take(key, value.trimmingBlanks) }
      if let name = Self.linkedFile(in: line), !names.contains(name) { names.append(name) }
    }
  }

  private mutating func take(_ key: String, _ value: String) {
    switch key {
    case "#+todo:": todoLines.append(value)
    case "#+tags:": tags += value.split(separator: " ").map(String.init).filter { $0 != "{" && $0 != "}" }
    case "#+allpriorities:": priorities += value.split(separator: " ").map(String.init)
    default: break
    }
  }

  private static func setting(_ line: Bytes) -> (String, String)? {
    guard line.starts(with: "#+"), let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (Bytes(line[...colon]).lowercased.string, Bytes(line[(colon + 1)...]).string)
  }

  /// Returns the file that a line links to. Nothing is escaped (org-mobile.el), so a name may contain brackets: it is the text
  /// on both sides of the middle; if the title differs, the text before the first `][`.
  private static func linkedFile(in line: Bytes) -> Bytes? {
    let (opening, middle, closing) = (Bytes("[[file:".utf8), Bytes("][".utf8), Bytes("]]".utf8))
    guard let start = line.firstRange(of: opening)?.upperBound,
      let end = (start..<line.count).last(where: { line[$0...].starts(with: closing) })
    else { return nil }
    let inner = Bytes(line[start..<end])
    var middles: [Range<Int>] = []
    while let next = inner.firstRange(of: middle, from: middles.last.map { $0.lowerBound + 1 } ?? 0) {
      middles.append(next)
    }
    let twins = middles.first { inner[..<$0.lowerBound].elementsEqual(inner[$0.upperBound...]) }
    return (twins ?? middles.first).map { Bytes(inner[..<$0.lowerBound]) } ?? inner
  }

  /// The desktop's Org settings.
  var setup: DesktopSetup { DesktopSetup(todo: todoLines, tags: tags, priorities: priorities) }

  /// The text of the index, as written by `org-mobile-create-index-file` of Org 9.5.
  var bytes: Bytes {
    var lines = ["#+READONLY"] + todoLines.map { "#+TODO: \($0)" }
    lines.append("#+TAGS: \(tags.joined(separator: " "))")
    lines.append("#+ALLPRIORITIES: \(priorities.joined(separator: " "))")
    let links = names.map { name -> Bytes in
      let title = name.elementsEqual(StagingName.agendas.utf8) ? Bytes("Agenda Views".utf8) : name
      return Bytes("* [[file:".utf8) + name + Bytes("][".utf8) + title + Bytes("]]".utf8)
    }
    return (lines.map { Bytes($0.utf8) } + links).text
  }
}

/// The names with a meaning in a staging area.
enum StagingName {
  static let index = "index.org"
  static let agendas = "agendas.org"
  static let checksums = "checksums.dat"
  static let capture = "mobileorg.org"
  /// Emacs' lock on the capture file: a dangling link.
  static let captureLock = ".#mobileorg.org"
  /// Emacs' backup of the capture file.
  static let captureBackup = "mobileorg.org~"
}
