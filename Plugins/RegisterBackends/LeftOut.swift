import Foundation
import PackagePlugin

/// The modules that look like plugins and that a program deliberately does not link.
///
/// The file `.left-out-plugins` in the folder of the program's target has a line for each: the module's name, and the reason.
/// Lines that begin with `#` are comments.
struct LeftOut {
  static let fileName = ".left-out-plugins"

  let modules: Set<String>

  init(of target: any Target) throws {
    let file = target.directoryURL.appending(path: Self.fileName)
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
      modules = []
      return
    }
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    modules = Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
  }
}
