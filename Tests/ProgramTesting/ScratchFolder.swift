public import Foundation

/// A folder for one test, removed with its last owner.
public final class ScratchFolder: Sendable {
  /// The absolute path of the folder.
  public let path: String

  public init() {
    path = NSTemporaryDirectory() + "/syncd-tests-\(UUID().uuidString)"
    try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The files below the folder with their bytes.
  public var files: [String: Data] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: path + "/" + $1) }
  }
}
