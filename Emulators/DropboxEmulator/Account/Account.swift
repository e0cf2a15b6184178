import Foundation

/// Everything that one Dropbox holds, as a value: what is there, what was there, and in which order it changed.
///
/// It decides what the service answers; sending and waiting are others' affair.
struct Account {
  /// What is there, by `path_lower`.
  var items: [String: Item] = [:]
  /// All versions there ever were, by rev.
  var versions: [String: StoredVersion] = [:]
  /// What each path ever was, the newest last.
  var history: [String: [Past]] = [:]
  /// Which paths changed, in order, and when.
  var log: [(key: String, at: ContinuousClock.Instant)] = []
  var sessions: [String: UploadSession] = [:]
  var cursors: [String: ListCursor] = [:]
  var cursorCount = 0
  /// Cursors up to this one were declared void.
  var voidCursors = 0
  /// How many bytes there may be.
  var quota: Int?
  /// Never more entries than this on a page.
  var pageSize = 2_000
  /// Files that no one can download, as documents of Paper are.
  var undownloadable: Set<String> = []
  /// How long a change stays out of listings.
  var delay = Duration.zero
  /// True if a rename in case only reports success and does nothing.
  var ignoresCaseRenames = false
  private var number = 0x15f_0a00_0000

  /// A number that was never used before.
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

  /// The time as the service writes it.
  static func now() -> String { Date().ISO8601Format() }

  /// Records that something about a path has changed.
  mutating func record(_ key: String) { log.append((key, .now)) }

  /// How many entries of the log everyone may know of.
  var visibleLog: Int {
    guard delay > .zero else { return log.count }
    return log.firstIndex { $0.at > .now - delay } ?? log.count
  }

  var usedBytes: Int { items.values.reduce(0) { $0 + ($1.rev.flatMap { versions[$0]?.bytes.count } ?? 0) } }

  /// What a path or an id stands for.
  func item(at path: String) -> Item? {
    path.hasPrefix("id:") ? items.values.first { $0.id == path } : items[Names.key(path)]
  }

  /// Makes the folders above a path, and returns the path with the names that those there have; nil if a file is among
  /// them.
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

  /// Takes an item away with everything in it.
  mutating func remove(_ key: String) {
    for (inner, item) in items where inner == key || inner.hasPrefix(key + "/") {
      items[inner] = nil
      history[inner, default: []].append(.deleted(display: item.display, at: Self.now()))
      record(inner)
    }
  }

  /// A free name like `path`, made with `suffix` before the ending and a number.
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
