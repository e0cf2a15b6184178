/// A first look at lines: enough to tell most kinds apart without reading them again.
struct LineShapes {
  private struct Shape {
    /// The first byte that is no white space; nil for a blank line.
    let first: UInt8?
    let indentation: Int
  }

  private let shapes: [Shape]
  private let start: Int

  init(_ lines: ArraySlice<Bytes>) {
    start = lines.startIndex
    shapes = lines.map { Shape(first: $0.firstNonBlank, indentation: $0.indentationWidth) }
  }

  func isBlank(_ line: Int) -> Bool { shapes[line - start].first == nil }

  /// The first byte of a line that is no white space; nil for a blank line.
  func first(_ line: Int) -> UInt8? { shapes[line - start].first }

  /// The columns that the white space at the beginning of a line takes up.
  func indentation(_ line: Int) -> Int { shapes[line - start].indentation }
}
