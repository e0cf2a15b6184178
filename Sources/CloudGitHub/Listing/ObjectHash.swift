internal import Crypto
internal import GitObjects

/// Computes the id of an object piece by piece.
struct ObjectHasher {
  private var sha = Insecure.SHA1()

  /// - Parameter size: the number of bytes that follow
  init(_ kind: String, size: Int) { sha.update(data: Array("\(kind) \(size)\0".utf8)) }

  mutating func update(_ bytes: [UInt8]) { sha.update(data: bytes) }

  func finish() -> ObjectID { ObjectID(bytes: Array(sha.finalize())) }
}

extension ObjectID {
  /// The id of an object with these bytes.
  init(of kind: String, _ bytes: [UInt8]) {
    var hasher = ObjectHasher(kind, size: bytes.count)
    hasher.update(bytes)
    self = hasher.finish()
  }
}

extension GitTree {
  /// The id of the tree.
  var id: ObjectID { ObjectID(of: "tree", bytes) }
}
