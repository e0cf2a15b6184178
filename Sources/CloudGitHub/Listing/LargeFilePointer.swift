/// The file that git LFS stores in the place of a large one (git-lfs, docs/spec.md).
enum LargeFilePointer {
  /// Every pointer is smaller.
  static let longest = 1_024
  private static let beginning = Array("version https://git-lfs.github.com/spec/v1\n".utf8)

  static func isOne(_ bytes: [UInt8]) -> Bool { bytes.count < longest && bytes.starts(with: beginning) }
}
