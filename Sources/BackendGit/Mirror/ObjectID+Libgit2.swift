internal import CGit2
internal import GitObjects

extension ObjectID {
  init(_ oid: git_oid) { self.init(bytes: unsafe withUnsafeBytes(of: oid.id) { unsafe Array($0) }) }

  var oid: git_oid {
    var oid = git_oid()
    unsafe withUnsafeMutableBytes(of: &oid.id) { unsafe $0.copyBytes(from: bytes.prefix(Self.size)) }
    return oid
  }
}
