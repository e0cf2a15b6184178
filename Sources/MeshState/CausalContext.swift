/// The versions that a device has seen, as the highest number of each writer: a version vector.
package struct CausalContext: Hashable, Sendable {
  package private(set) var numbers: [Writer: UInt64] = [:]

  /// A context that covers nothing.
  package init() {}

  /// The highest number that was seen of a writer; 0 if none was.
  package subscript(writer: Writer) -> UInt64 { numbers[writer] ?? 0 }

  /// True if nothing was seen.
  package var isEmpty: Bool { numbers.isEmpty }

  /// Returns true if the version was seen.
  package func covers(_ dot: Dot) -> Bool { self[dot.writer] >= dot.number }

  /// Adds a version and all earlier ones of its writer.
  package mutating func insert(_ dot: Dot) {
    if self[dot.writer] < dot.number { numbers[dot.writer] = dot.number }
  }

  /// Adds everything that `other` covers.
  package mutating func formUnion(_ other: CausalContext) {
    if numbers.isEmpty {
      numbers = other.numbers
      return
    }
    for (writer, number) in other.numbers where self[writer] < number { numbers[writer] = number }
  }

  /// Returns a context that covers what either of the two covers.
  package func union(_ other: CausalContext) -> CausalContext {
    var union = self
    union.formUnion(other)
    return union
  }

  /// Forgets the versions of a writer from `number` on.
  mutating func forget(_ writer: Writer, from number: UInt64) {
    guard self[writer] >= number else { return }
    numbers[writer] = number > 1 ? number - 1 : nil
  }
}
