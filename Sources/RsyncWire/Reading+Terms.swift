extension Reading {
  /// Which files are listed.
  public enum Scope: Sendable {
    /// Everything below the root, without hashes.
    case everything
    /// These and the folders above them, with the hashes of their contents. What is not there is left out.
    case names([[UInt8]])
  }

  /// What becomes of a file that was asked for.
  public enum Answer: Hashable, Sendable {
    /// The file with this number comes, piece by piece.
    case file(Int)
    /// It cannot be read any more.
    case missing(Int)
  }

  /// What a file comes in.
  public enum Piece: Hashable, Sendable {
    case bytes([UInt8])
    /// These bytes of the basis.
    case copy(Range<Int>)
    /// The file has ended, and its content has this MD5.
    case end([UInt8])
  }
}
