internal import CurlHTTP
internal import ExpatXML
internal import HTTPStorage
internal import SyncKit

/// The answer to PROPFIND (RFC 4918, 13): the properties of a folder and its children.
struct Multistatus: Sendable {
  /// The properties of one URL.
  struct Item: Sendable {
    /// The decoded components of the URL's path.
    var parts: [[UInt8]] = []
    var status: Int?
    var facts = Facts()
    /// The status of a property list without properties.
    var refusal: Int?

    /// True if the item itself, not just a property, does not exist.
    var isAbsent: Bool { status == 404 || status == 410 }

    /// The status with which the server withholds the properties; nil if it does not.
    var failure: Int? {
      if let status, !(200..<300).contains(status) { return isAbsent ? nil : status }
      return facts.isBlank && facts.locks.isEmpty && facts.room == nil ? refusal : nil
    }
  }

  var items: [Item]

  /// Returns the folder's children by name, including those without properties. Nil if the folder itself is missing in the
  /// answer, which proves that it is incomplete, or if a name occurs twice with different properties.
  ///
  /// The server may use another host or prefix for itself, so a name is what follows the folder's own URL in the answer. Items
  /// that are not exactly one level below are ignored.
  func children(of folder: [[UInt8]]) -> [[UInt8]: Item]? {
    guard let own = own(folder) else { return nil }
    var children: [[UInt8]: Item] = [:]
    for item in items where item.parts.count == own.count + 1 && item.parts.starts(with: own) {
      guard !item.isAbsent, let name = item.parts.last else { continue }
      if let other = children[name], other.facts != item.facts { return nil }
      children[name] = item
    }
    return children
  }

  private func own(_ folder: [[UInt8]]) -> [[UInt8]]? {
    if items.contains(where: { $0.parts == folder && $0.facts.isFolder }) { return folder }
    guard let shortest = items.filter(\.facts.isFolder).map(\.parts).min(by: { $0.count < $1.count }) else {
      return nil
    }
    // Behind a proxy the prefix may differ, but not the name of the folder itself.
    guard shortest.last == folder.last, items.allSatisfy({ $0.parts.starts(with: shortest) }) else { return nil }
    return shortest
  }
}

/// Parses a multistatus document.
final class MultistatusReader: XMLHandler {
  private(set) var items: [Multistatus.Item] = []
  private(set) var rootName: String?
  private var stack: [String] = []
  private var buffer: [UInt8] = []
  private var item = Multistatus.Item()
  /// The properties of the current list, which count only if its status is a success.
  private var facts = Facts()
  private var lock = Facts.Lock()
  private var status: Int?
  private(set) var isTooLarge = false
  /// The granted duration of the lock in the document, in seconds.
  private(set) var lockSeconds: Int?

  /// The maximum number of entries, more than any folder of notes has.
  private static let itemLimit = 200_000
  private static let textLimit = 16 << 10

  func begin(_ name: String) {
    if stack.isEmpty { rootName = name }
    stack.append(name)
    buffer = []
    switch name {
    case "response": item = Multistatus.Item()
    case "propstat": (facts, status) = (Facts(), nil)
    case "activelock": lock = Facts.Lock()
    case "collection": if isIn("resourcetype") { facts.isFolder = true }
    default: break
    }
  }

  func text(_ bytes: [UInt8]) {
    guard buffer.count + bytes.count <= Self.textLimit else {
      isTooLarge = true
      return
    }
    buffer += bytes
  }

  func end() {
    let name = stack.removeLast()
    let text = String(decoding: buffer, as: UTF8.self).trimmed
    buffer = []
    switch name {
    case "href":
      if stack.last == "response" {
        item.parts = Self.parts(of: text)
      } else if stack.last == "locktoken" {
        lock.token = text
      }
    case "owner": lock.owner = text
    case "activelock": facts.locks.append(lock)
    case "timeout": if text.hasPrefix("Second-") { lockSeconds = Int(text.dropFirst("Second-".count)) }
    case "status": if stack.last == "response" { item.status = Self.code(text) } else { status = Self.code(text) }
    case "getetag": facts.tag = EntityTag(text)
    case "getcontentlength": facts.size = Int(text).flatMap { $0 >= 0 ? $0 : nil }
    case "quota-available-bytes": facts.room = Int(text).flatMap { $0 >= 0 ? $0 : nil }
    case "getlastmodified": facts.modified = HTTPDate.time(text)
    case "propstat":
      if let status, !(200..<300).contains(status) { item.refusal = status } else { collect(facts) }
    case "response": finishItem()
    default: break
    }
  }

  private func collect(_ found: Facts) {
    let former = item.facts
    item.facts.isFolder = former.isFolder || found.isFolder
    item.facts.tag = found.tag ?? former.tag
    item.facts.size = found.size ?? former.size
    item.facts.modified = found.modified ?? former.modified
    item.facts.room = found.room ?? former.room
    item.facts.locks = former.locks + found.locks
  }

  private func finishItem() {
    guard items.count < Self.itemLimit else {
      isTooLarge = true
      return
    }
    items.append(item)
  }

  private func isIn(_ name: String) -> Bool { stack.last == name || stack.dropLast().last == name }

  /// Returns the path components of a URL or a path.
  private static func parts(of href: String) -> [[UInt8]] {
    guard let separator = href.firstRange(of: "://") else { return PercentCoding.parts(of: href) }
    return PercentCoding.parts(of: href[separator.upperBound...].drop { $0 != "/" })
  }

  /// Returns the code in `HTTP/1.1 200 OK`.
  private static func code(_ line: String) -> Int? { line.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
}

extension String {
  fileprivate var trimmed: String {
    let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t" }
    let rest = unicodeScalars.drop(while: isBlank)
    return String(
      rest.reversed().drop(while: isBlank).reversed().reduce(into: String.UnicodeScalarView()) { $0.append($1) })
  }
}
