/// A statement of a TOML document: a header, or a key with its value.
package struct TOMLStatement: Sendable, Hashable {
  /// What a statement is.
  package enum Kind: Sendable, Hashable {
    /// A header, `[table]` or `[[table]]`.
    case header
    /// A key with a value, which has this span.
    case value(Range<Int>)
  }

  /// The kind of statement.
  package let kind: Kind
  /// The keys from the root of the document to what the statement defines.
  package let path: [String]
  /// The spans of the last keys of `path`: those that the statement itself contains.
  let keys: [Range<Int>]
  /// The span from the first bracket or key to the end of the header or value, in scalars.
  let span: Range<Int>

  /// Returns true if the statement defines `path` or something in it.
  func isInside(_ path: [String]) -> Bool { self.path.starts(with: path) }
}
