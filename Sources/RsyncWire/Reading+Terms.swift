extension Reading {
  /// The files that are listed.
  public enum Scope: Sendable {
    /// Everything below the root, without hashes.
    case everything
    /// These names and the folders above them, with the hashes of their contents. Missing files are omitted.
    case names([[UInt8]])
  }

  /// The result of requesting a file.
  public enum Answer: Hashable, Sendable {
    /// The file with this index follows in pieces.
    case file(Int)
    /// The file can no longer be read.
    case missing(Int)
  }

  /// A part of a received file.
  public enum Piece: Hashable, Sendable {
    case bytes([UInt8])
    /// These bytes of the basis.
    case copy(Range<Int>)
    /// The end of the file; its content has this MD5.
    case end([UInt8])
  }
}
