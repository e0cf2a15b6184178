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

  init(ours: [UInt8], theirs: [UInt8]) {
    let lines = Self.lines(of: ours)
    var (places, common, next) = ([Place](), [[UInt8]](), 0)
    for change in LineDiff(from: ours, to: theirs).changes {
      let start = change.start.old - 1
      common.append(lines[next..<start].flatMap(\.self))
      places.append(Place(ours: change.removed.flatMap(\.self), theirs: change.added.flatMap(\.self)))
      next = start + change.removed.count
    }
    self.places = places
    self.common = common + [lines[next...].flatMap(\.self)]
  }

  /// Returns the file with these lines at its places.
  func merged(_ chosen: [[UInt8]]) -> [UInt8] {
    zip(common, chosen + [[]]).flatMap { $0 + $1 }
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
