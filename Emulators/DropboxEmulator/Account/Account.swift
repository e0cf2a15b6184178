import Foundation

/// The state of one Dropbox, as a value: its files, their former versions, and the order of their changes.
///
/// It determines the answers of the service; other types send and wait.
struct Account {
  /// The present items, by `path_lower`.
  var items: [String: Item] = [:]
  /// All versions ever stored, by rev.
  var versions: [String: StoredVersion] = [:]
  /// The former states of each path, the newest last.
  var history: [String: [Past]] = [:]
  /// The changed paths in order, with times.
  var log: [(key: String, at: ContinuousClock.Instant)] = []
  var sessions: [String: UploadSession] = [:]
  var cursors: [String: ListCursor] = [:]
  var cursorCount = 0
  /// The highest number of an invalid cursor.
  var voidCursors = 0
  /// The maximum size of all files in bytes.
  var quota: Int?
  /// The maximum number of entries per page.
  var pageSize = 2_000
  /// Files that cannot be downloaded, like Paper documents.
  var undownloadable: Set<String> = []
  /// The delay after which a change appears in listings.
  var delay = Duration.zero
  /// True if a rename that changes only case reports success and does nothing.
  var ignoresCaseRenames = false
  private var number = 0x15f_0a00_0000

  /// Returns a number that was never used before.
  mutating func next() -> Int {
    number += 1
    return number
  }

  mutating func newID() -> String { "id:" + padded(next(), to: 16) }

  mutating func newRev() -> String { padded(next(), to: 15) }

  private func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The time in the format of the service.
  static func now() -> String { Date().ISO8601Format() }

  /// Records that a path has changed.
  mutating func record(_ key: String) { log.append((key, .now)) }

  /// The number of log entries that are visible by now.
  var visibleLog: Int {
    guard delay > .zero else { return log.count }
    return log.firstIndex { $0.at > .now - delay } ?? log.count
  }

  var usedBytes: Int { items.values.reduce(0) { $0 + ($1.rev.flatMap { versions[$0]?.bytes.count } ?? 0) } }

  /// Returns the item with a path or an id.
  func item(at path: String) -> Item? {
    path.hasPrefix("id:") ? items.values.first { $0.id == path } : items[Names.key(path)]
  }

  /// Creates the folders above a path, and returns the path with the names of existing folders; nil if one of them is a file.
  mutating func makeParents(of path: String) -> String? {
    var place = ""
    for part in path.split(separator: "/").dropLast() {
      let next = place + "/" + part
      if let item = items[Names.key(next)] {
        guard !item.isFile else { return nil }
        place = item.display
      } else {
        makeFolder(next)
        place = next
      }
    }
    return place + "/" + Names.name(of: path)
  }

  @discardableResult mutating func makeFolder(_ display: String) -> Item {
    let item = Item(kind: .folder, display: display, id: newID())
    items[item.key] = item
    record(item.key)
    return item
  }

  /// Removes an item with everything in it.
  mutating func remove(_ key: String) {
    for (inner, item) in items where inner == key || inner.hasPrefix(key + "/") {
      items[inner] = nil
      history[inner, default: []].append(.deleted(display: item.display, at: Self.now()))
      record(inner)
    }
  }

  /// Returns a free name like `path`, with `suffix` and a number before the extension.
  func freeName(_ path: String, _ suffix: (Int) -> String) -> String {
    let name = Names.name(of: path)
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    for number in 1... {
      let other = Names.parent(of: path) + "/" + name[..<dot] + suffix(number) + name[dot...]
      if items[Names.key(other)] == nil { return other }
    }
    return path
  }
}
