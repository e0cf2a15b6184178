import SyncKit

/// A content that is generated while it is read: one mebibyte after the other, all different.
struct LongContent: ContentReader {
  private static let chunk = 1 << 20
  private var index = 0
  private let mebibytes: Int

  private init(mebibytes: Int) { self.mebibytes = mebibytes }

  static func whole(mebibytes: Int) -> Content {
    var hasher = DigestHasher()
    for index in 0..<mebibytes { hasher.update(bytes(of: index)) }
    return Content(digest: hasher.finish(), size: mebibytes * chunk) { LongContent(mebibytes: mebibytes) }
  }

  mutating func next() -> [UInt8]? {
    guard index < mebibytes else { return nil }
    defer { index += 1 }
    return Self.bytes(of: index)
  }

  private static func bytes(of index: Int) -> [UInt8] {
    Array(repeating: UInt8(truncatingIfNeeded: index &* 37 &+ 1), count: chunk)
  }
}

extension Content {
  /// A content that calls `finishing` each time all of its bytes were read.
  static func finishing(_ bytes: [UInt8], _ finishing: @escaping @Sendable () async -> Void) -> Content {
    Content(digest: Digest(of: bytes), size: bytes.count) { FinishingContent(rest: bytes, finishing: finishing) }
  }
}

private struct FinishingContent: ContentReader {
  var rest: [UInt8]?
  let finishing: @Sendable () async -> Void

  mutating func next() async -> [UInt8]? {
    guard let bytes = rest else {
      await finishing()
      return nil
    }
    rest = nil
    return bytes
  }
}

/// A content that never ends: after the first bytes it calls `stop`, which throws.
struct BrokenContent: ContentReader {
  private var isFirst = true
  private let stop: @Sendable () async throws(SyncError) -> Void

  /// A content that claims to have more bytes than it returns.
  static func stopping(_ stop: @escaping @Sendable () async throws(SyncError) -> Void) -> Content {
    let announced = Array("the first line\nthe second line\n".utf8)
    return Content(digest: Digest(of: announced), size: announced.count) { BrokenContent(stop: stop) }
  }

  private init(stop: @escaping @Sendable () async throws(SyncError) -> Void) { self.stop = stop }

  mutating func next() async throws(SyncError) -> [UInt8]? {
    guard isFirst else {
      try await stop()
      return nil
    }
    isFirst = false
    return Array("the first line\n".utf8)
  }
}
