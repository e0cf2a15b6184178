internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// The news object of a large bucket: a line for each batch of changes, the newest last, so that a device that has a listing
/// need not list again.
///
/// It is a hint: a device that finds it missing or unusable lists, and every device lists once a day. Each line is added under a
/// condition, so that two devices cannot hide each other's line.
struct News: Sendable {
  let service: Service
  let traits: Traits

  /// The object's name, which is reserved like a temporary's, so that no store takes it for a file.
  static let name = ".syncd-news.tmp"
  static let path = SyncPath(name)
  private static let largest = 256 << 10
  private static let mostLines = 500
  private static let attempts = 8

  /// A batch of changes.
  struct Line: Hashable, Sendable {
    /// A random name: letters and digits.
    var id: String
    /// The changed paths; nil if a device does not know which of its changes were made.
    var paths: [SyncPath]?

    private static let unknown = "*"

    var text: String {
      guard let paths else { return "\(id) \(Self.unknown)" }
      return ([id] + paths.map { PercentCoding.encoded($0.bytes, keepsSlashes: true) }).joined(separator: " ")
    }

    init(id: String, paths: [SyncPath]?) { (self.id, self.paths) = (id, paths) }

    /// Nil if the text is not a line.
    init?(_ text: Substring) {
      let words = text.split(separator: " ")
      guard let id = words.first, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return nil }
      self.id = String(id)
      if words.count == 2, words[1] == Self.unknown { return }
      // `+` is encoded, so decoding it as a space does no harm.
      let paths = words.dropFirst().map { SyncPath(bytes: PercentCoding.decoded($0.utf8)) }
      guard !paths.contains(nil) else { return nil }
      self.paths = paths.compactMap(\.self)
    }
  }

  /// The lines and their tag.
  struct Content: Sendable {
    var tag: String
    var lines: [Line]
  }

  enum Reading: Sendable {
    case unchanged
    case absent
    case found(Content)
  }

  private var key: [UInt8] { service.bucket.prefix + Array(Self.name.utf8) }

  /// Reads the news, unless they still have this tag.
  func read(unless tag: String? = nil) async throws(SyncError) -> Reading {
    switch try await service.small(key, unless: tag, limit: 2 * Self.largest) {
    case .unchanged: return .unchanged
    case .absent: return .absent
    case .found(let tag, let body): return .found(Content(tag: tag, lines: Self.lines(body)))
    }
  }

  /// The lines of a body; none if one of them is invalid, so that no device trusts a part.
  static func lines(_ body: [UInt8]) -> [Line] {
    let texts = String(decoding: body, as: UTF8.self).split(separator: "\n")
    let lines = texts.compactMap { Line($0) }
    return lines.count == texts.count ? lines : []
  }

  /// The paths that changed after the line `id`; nil if that is unknown, or if they are more than `limit`.
  static func paths(after id: String, in lines: [Line], limit: Int) -> Set<SyncPath>? {
    guard let index = lines.lastIndex(where: { $0.id == id }) else { return nil }
    var paths: Set<SyncPath> = []
    for line in lines[(index + 1)...] {
      guard let changed = line.paths else { return nil }
      paths.formUnion(changed)
    }
    return paths.count <= limit ? paths : nil
  }

  /// Adds a line; creates the news if `creates` is true. Returns false if there are none, or if others were faster each time.
  func append(_ line: Line, creates: Bool) async throws(SyncError) -> Bool {
    for attempt in 1...Self.attempts {
      var lines: [Line] = []
      let condition: TagCondition
      switch try await read() {
      case .unchanged, .absent:
        guard creates else { return false }
        condition = .absent
      case .found(let content):
        if content.lines.contains(where: { $0.id == line.id }) { return true }
        lines = content.lines
        condition = .tag(traits.header(content.tag))
      }
      let body = SyncKit.Content(Self.body(lines + [line]))
      let outcome = try await service.change(.put(body, at: key, if: condition))
      if outcome.isGood { return true }
      if case .answered(let answer) = outcome, [401, 403].contains(answer.status) {
        throw await service.syncError(answer, "PUT")
      }
      try await service.pauseRandomly(upTo: .milliseconds(20 << attempt))
    }
    return false
  }

  /// The newest lines that fit into the news.
  private static func body(_ lines: [Line]) -> [UInt8] {
    var texts: [[UInt8]] = []
    var size = 0
    for line in lines.reversed().prefix(mostLines) {
      var text = Array((line.text + "\n").utf8)
      // A batch that is too large is announced as unknown.
      if text.count > largest / 2 { text = Array((Line(id: line.id, paths: nil).text + "\n").utf8) }
      size += text.count
      guard size <= largest else { break }
      texts.append(text)
    }
    return Array(texts.reversed().joined())
  }
}
