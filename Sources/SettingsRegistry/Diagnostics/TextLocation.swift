/// A place in a settings file. Lines and columns count from 1, columns in Unicode scalars.
public struct TextLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The file as the user named it.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The column in Unicode scalars, from 1.
  public var column: Int

  /// A place in `file`; its very beginning unless told otherwise.
  public init(file: String, line: Int = 1, column: Int = 1) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `FILE:LINE:COLUMN`, as editors and compilers understand it.
  public var description: String { "\(file):\(line):\(column)" }

  /// Moves behind `scalar`, which stands here.
  mutating func advance(over scalar: Unicode.Scalar) {
    if scalar == "\n" {
      line += 1
      column = 1
    } else {
      column += 1
    }
  }

  /// Places of one file in reading order.
  public static func < (first: Self, second: Self) -> Bool {
    (first.file, first.line, first.column) < (second.file, second.line, second.column)
  }
}
