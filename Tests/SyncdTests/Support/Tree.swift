import CPOSIX
import Foundation
import ProgramTesting

/// Files on disk by name and content. Names are bytes; bytes other than plain ASCII are written as `\xNN`, so that comparing
/// names compares bytes.
struct Tree: Equatable, CustomStringConvertible {
  var files: [String: Data] = [:]
  /// Special files, and empty folders.
  var others: [String: String] = [:]

  init() {}

  /// Everything in `folder` except the marker of a remote.
  init(_ folder: String, marker: Bool = false) {
    read(at: Array(folder.utf8), "")
    if !marker { files[".syncd-root"] = nil }
  }

  /// The same tree without empty folders.
  var withoutEmptyFolders: Tree {
    var tree = self
    tree.others = others.filter { $1 != Self.emptyFolder }
    return tree
  }

  private static let emptyFolder = "empty folder"

  private mutating func read(at path: [UInt8], _ prefix: String) {
    let names = Names.inside(bytes: path)
    if names.isEmpty, !prefix.isEmpty { others[String(prefix.dropLast())] = Self.emptyFolder }
    for name in names {
      let inner = path + [0x2F] + name
      let key = prefix + Names.text(name)
      switch Names.kind(inner) {
      case S_IFREG: files[key] = Names.content(inner)
      case S_IFDIR: read(at: inner, key + "/")
      case S_IFLNK: others[key] = "link"
      default: others[key] = "special"
      }
    }
  }

  /// Leftovers of the program's own work.
  var litter: [String] {
    (Array(files.keys) + Array(others.keys)).filter { $0.contains(".syncd-") && $0.hasSuffix(".tmp") }.sorted()
  }

  var names: [String] { files.keys.sorted() }

  var description: String {
    files.keys.sorted().map { "\($0): \(String(decoding: files[$0]!.prefix(200), as: UTF8.self).debugDescription)" }
      .joined(separator: "\n") + others.keys.sorted().map { "\n\($0): \(others[$0]!)" }.joined()
  }

  subscript(name: String) -> String? { files[name].map { String(decoding: $0, as: UTF8.self) } }
}

/// Names as bytes.
enum Names {
  static func inside(_ folder: String) -> [[UInt8]] { inside(bytes: Array(folder.utf8)) }

  static func inside(bytes folder: [UInt8]) -> [[UInt8]] {
    guard let stream = unsafe folder.asPath({ unsafe opendir($0) }) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
    return names
  }

  static func kind(_ path: [UInt8]) -> mode_t {
    var facts = stat()
    return unsafe path.asPath { unsafe lstat($0, &facts) } == 0 ? facts.st_mode & S_IFMT : 0
  }

  static func content(_ path: [UInt8]) -> Data {
    let descriptor = unsafe path.asPath { unsafe posix_openat(AT_FDCWD, $0, O_RDONLY, 0) }
    guard descriptor >= 0 else { return Data("unreadable".utf8) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile()
  }

  /// An ASCII text that represents exactly these bytes.
  static func text(_ name: [UInt8]) -> String {
    name.map { (0x20...0x7E).contains($0) && $0 != 0x5C ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16) }
      .joined()
  }
}
