import OrgKit

/// Two versions of a file that differ only in what is in dispute, as a sequence of common lines and of places to choose for. Pure.
struct DisputedFile {
  /// The lines of both sides at one place.
  struct Place: Equatable {
    var ours: [UInt8]
    var theirs: [UInt8]

    /// The lines of ours, and after them those of theirs.
    var both: [UInt8] {
      let isCut = !ours.isEmpty && !theirs.isEmpty && ours.last != UInt8(ascii: "\n")
      return ours + (isCut ? [UInt8(ascii: "\n")] : []) + theirs
    }
  }

  /// The places from top to bottom.
  let places: [Place]
  /// The common lines before each place, and those after the last one.
  private let common: [[UInt8]]

  /// - Parameter hasEntries: true for Org files, in which no place is in two entries: a choice never moves text from one to another.
  init(ours: [UInt8], theirs: [UInt8], hasEntries: Bool) {
    let pairs = hasEntries ? EntryAlignment(ours: ours, theirs: theirs).pairs : [(ours: ours[...], theirs: theirs[...])]
    var (places, common, before) = ([Place](), [[UInt8]](), [UInt8]())
    for pair in pairs {
      let lines = Self.lines(of: Array(pair.ours))
      var next = 0
      for change in LineDiff(from: Array(pair.ours), to: Array(pair.theirs)).changes {
        let start = change.start.old - 1
        common.append(before + lines[next..<start].flatMap(\.self))
        places.append(Place(ours: change.removed.flatMap(\.self), theirs: change.added.flatMap(\.self)))
        (before, next) = ([], start + change.removed.count)
      }
      before += lines[next...].flatMap(\.self)
    }
    self.places = places
    self.common = common + [before]
  }

  /// Returns the file with these lines at its places. A last line without its line end gets one if others follow.
  func merged(_ chosen: [[UInt8]]) -> [UInt8] {
    zip(common, chosen + [[]]).flatMap { [$0, $1] }.reduce(into: []) { file, lines in
      if let last = file.last, last != UInt8(ascii: "\n"), !lines.isEmpty { file.append(UInt8(ascii: "\n")) }
      file += lines
    }
  }

  private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = text[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
      lines.append(rest[..<end])
      rest = rest[end...]
    }
    return lines
  }
}
