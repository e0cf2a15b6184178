/// The lines of a text without their line feeds; a final line feed begins no further line.
///
/// Their positions and the features of most kinds of lines are computed once. Slices share them, and a line is created on
/// access: dividing lines into blocks and items copies nothing.
struct Lines: RandomAccessCollection, Sendable {
  private let table: Table
  let startIndex: Int
  let endIndex: Int

  init(_ text: Bytes) {
    self.init(Table(text), nil)
  }

  /// Creates the joined lines of several texts.
  init(_ lines: some Collection<Bytes>) {
    var text: [UInt8] = []
    text.reserveCapacity(lines.reduce(0) { $0 + $1.count + 1 })
    for line in lines {
      text += line
      text.append(.newline)
    }
    self.init(text[...])
  }

  private init(_ table: Table, _ range: Range<Int>?) {
    self.table = table
    (startIndex, endIndex) = (range?.lowerBound ?? 0, range?.upperBound ?? table.shapes.count)
  }

  subscript(index: Int) -> Bytes { table.text[table.shapes[index].start..<table.shapes[index].end] }

  subscript(range: Range<Int>) -> Lines { Lines(table, range) }

  /// Returns the lines from the first of these to the last of later ones in the same text.
  func joined(upTo others: Lines) -> Lines { Lines(table, startIndex..<others.endIndex) }

  /// The text from the first line to the last, without the final line feed.
  var bytes: Bytes {
    isEmpty ? [] : table.text[table.shapes[startIndex].start..<table.shapes[endIndex - 1].end]
  }

  func isBlank(_ line: Int) -> Bool { table.shapes[line].first == nil }

  /// Returns the first byte of a line that is not white space; nil for a blank line.
  func first(_ line: Int) -> UInt8? { table.shapes[line].first }

  /// Returns the width of a line's leading white space in columns.
  func indentation(_ line: Int) -> Int { Int(table.shapes[line].indentation) }

  /// Returns the marker of the list item that a line begins; nil if it begins none.
  func marker(_ line: Int) -> ListMarker? {
    first(line).map(ListMarker.mayBegin(with:)) ?? false ? ListMarker(self[line]) : nil
  }
}

extension Lines {
  /// The data that all slices of a text's lines share; a class, so that copying a slice counts one reference.
  private final class Table: Sendable {
    let text: Bytes
    let shapes: [Shape]

    init(_ text: Bytes) {
      self.text = text
      shapes = Shape.all(of: text)
    }
  }

  /// The position and features of a line.
  private struct Shape {
    let start: Int
    let end: Int
    let indentation: Int32
    let first: UInt8?

    static func all(of text: Bytes) -> [Shape] {
      let (bytes, offset) = (text.span, text.startIndex)
      var shapes: [Shape] = []
      shapes.reserveCapacity(bytes.count / 32 + 1)
      var start = 0
      while start < bytes.count {
        let content = bytes.firstNonBlank(from: start)
        let end = bytes.lineEnd(from: content, to: bytes.count)
        shapes.append(
          Shape(
            start: offset + start, end: offset + end,
            indentation: Int32(clamping: bytes.width(from: start, to: content)),
            first: content < end ? bytes[content] : nil))
        start = end + 1
      }
      return shapes
    }
  }
}
