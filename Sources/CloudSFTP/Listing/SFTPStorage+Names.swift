internal import SFTPWire
internal import SyncKit

/// The content of one folder.
enum FolderContent: Sendable {
  /// All names, without `.` and `..`.
  case names([SFTPName])
  case missing
  /// It could not be listed as a whole; the reason.
  case unreadable(String)
}

extension SFTPStorage {
  /// The number of empty answers in a row after which a server is broken.
  private static var mostEmptyAnswers: Int { 1_000 }
  /// The number of times that a folder is listed if files disappear meanwhile.
  private static var attempts: Int { 5 }

  /// Lists one folder; the root for nil. Throws if it does not end.
  func names(in path: SyncPath?) async throws(SyncError) -> FolderContent {
    for _ in 0..<Self.attempts {
      if case .ended(let content) = try await namesOnce(in: path) { return content }
    }
    return .unreadable("files disappear each time that it is listed")
  }

  private enum Attempt {
    case ended(FolderContent)
    /// A file disappeared meanwhile. gesftpserver then ends the listing with "no such file".
    case disturbed
  }

  private func namesOnce(in path: SyncPath?) async throws(SyncError) -> Attempt {
    let opened = try await server.perform(.openFolder(folder.bytes(of: path)))
    guard case .handle(let handle) = opened else {
      return .ended(opened.isMissing ? .missing : .unreadable(opened.refusal?.message ?? "no reason given"))
    }
    defer { server.post([.close(handle: handle)]) }
    var (names, emptyAnswers): ([SFTPName], Int) = ([], 0)
    var limit = ListingLimit(settings.maxFiles, address: address)
    while true {
      for reply in try await server.perform([.readFolder(handle: handle), .readFolder(handle: handle)]) {
        switch reply {
        case .names(let found):
          emptyAnswers = found.isEmpty ? emptyAnswers + 1 : 0
          try limit.add(found.count)
          names += found.filter { $0.name != [0x2E] && $0.name != [0x2E, 0x2E] }
        case let reply where reply.isEnd: return .ended(.names(names))
        case let reply where reply.isMissing: return .disturbed
        case let reply: return .ended(.unreadable(reply.refusal?.message ?? "no reason given"))
        }
        guard emptyAnswers < Self.mostEmptyAnswers else {
          throw SyncError(.unexpected, "the listing of \(address) does not end")
        }
      }
    }
  }
}
