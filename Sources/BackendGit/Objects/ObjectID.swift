internal import CGit2

/// The id of a git object: the SHA-1 of its type, size and bytes.
struct ObjectID: Hashable, Sendable {
  let bytes: [UInt8]

  static let size = 20
  /// The id that means "no object" in the protocol.
  static let zero = ObjectID(bytes: Array(repeating: 0, count: size))

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Parses forty hexadecimal digits; returns nil for any other text.
  init?(_ text: String) {
    var oid = git_oid()
    guard text.utf8.count == 2 * Self.size, unsafe git_oid_fromstr(&oid, text) == 0 else { return nil }
    self.init(oid)
  }

  init(_ oid: git_oid) { bytes = unsafe withUnsafeBytes(of: oid.id) { unsafe Array($0) } }

  var oid: git_oid {
    var oid = git_oid()
    unsafe withUnsafeMutableBytes(of: &oid.id) { unsafe $0.copyBytes(from: bytes.prefix(Self.size)) }
    return oid
  }

  /// The first digits, enough for people to distinguish commits.
  var short: String { String(description.prefix(10)) }
}

extension ObjectID: CustomStringConvertible {
  var description: String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
