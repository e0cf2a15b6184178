import Foundation

/// The helper program, built once from its sources.
public enum TorrentProgram {
  /// The path of the program; nil if libtorrent or a C++ compiler is not installed, which is printed.
  public static let path: String? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let path = root + "/.build/syncd-torrent"
    guard let outcome = try? Command([root + "/Scripts/build-torrent.sh", path]).run(), outcome.status == 0 else {
      print("*** SKIPPED: tests with syncd-torrent: libtorrent-rasterbar-dev or a C++ compiler is missing ***")
      return nil
    }
    return path
  }()

  /// True if there is a program.
  public static var isAvailable: Bool { path != nil }
}
