/// A writer of the mesh: a random number that a device draws for itself, and draws again after it was restored or copied.
package struct Writer: Hashable, Sendable {
  /// The random number.
  package let id: UInt64

  package init(id: UInt64) { self.id = id }
}

extension Writer: Comparable {
  package static func < (a: Writer, b: Writer) -> Bool { a.id < b.id }
}

/// The name of one version: its writer, and a number that the writer has never used before.
///
/// Numbers of one writer only grow. They say nothing about the order of versions of different writers.
package struct Dot: Hashable, Sendable {
  package let writer: Writer
  package let number: UInt64

  package init(writer: Writer, number: UInt64) {
    self.writer = writer
    self.number = number
  }
}

extension Dot: Comparable {
  package static func < (a: Dot, b: Dot) -> Bool { (a.writer, a.number) < (b.writer, b.number) }
}
