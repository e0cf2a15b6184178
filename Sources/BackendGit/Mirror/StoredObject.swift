internal import CGit2

/// An object of a repository in libgit2's memory. It never changes, and any thread can read it.
@safe final class StoredObject: @unchecked Sendable {
  private let object: OpaquePointer
  /// The number of bytes.
  let size: Int

  /// Owns `object`.
  init(_ object: OpaquePointer) {
    unsafe self.object = unsafe object
    size = unsafe git_odb_object_size(object)
  }

  deinit { unsafe git_odb_object_free(object) }

  /// All bytes.
  var bytes: [UInt8] { bytes(0..<size) }

  /// Returns a copy of a part.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    precondition(range.upperBound <= size)
    let all = unsafe UnsafeRawBufferPointer(start: git_odb_object_data(object), count: size)
    return unsafe Array(all[range])
  }
}
