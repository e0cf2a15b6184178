/// Assembles a file from received pieces and the old content that they copy from.
public struct Assembly {
  private let basis: [UInt8]
  private var hash = FileHash()

  public init(basis: [UInt8] = []) { self.basis = basis }

  /// Returns the bytes of a piece.
  public mutating func bytes(_ piece: Reading.Piece) throws(RsyncError) -> [UInt8] {
    let bytes: [UInt8]
    switch piece {
    case .bytes(let new): bytes = new
    case .copy(let range):
      guard range.upperBound <= basis.count else { throw .violation(.token) }
      bytes = Array(basis[range])
    case .end: bytes = []
    }
    hash.add(bytes)
    return bytes
  }

  /// The MD5 of everything so far.
  public var digest: [UInt8] { hash.finish() }
}
