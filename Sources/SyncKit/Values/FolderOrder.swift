/// The order of paths in every table and plan: by bytes, with the separator before everything else.
///
/// A depth-first walk over sorted names yields this order, so a walk and a table are compared without sorting either.
enum FolderOrder {
  /// Negative if `a` comes first, zero if they are equal, positive if `b` comes first.
  static func compare(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
    unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        unsafe compare(a, b)
      }
    }
  }

  static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let shared = min(a.count, b.count)
    var index = 0
    while index < shared {
      let (x, y) = unsafe (a[index], b[index])
      if x != y { return rank(x) - rank(y) }
      index += 1
    }
    return a.count - b.count
  }

  private static func rank(_ byte: UInt8) -> Int {
    byte == SyncPath.separator ? -1 : Int(byte)
  }
}
