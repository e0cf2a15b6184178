internal import EmulatorWire
internal import SettingsRegistry

extension Emulator {
  /// Routes that receive bytes.
  func take(_ route: Route, _ call: Call) throws -> JSON {
    switch route {
    case .upload: return try upload(call)
    case .startSession:
      let argument: StartArgument = try call.headerArgument()
      try check(argument.contentHash, call.body)
      return ["session_id": .string(account.startSession(call.body, isClosed: argument.close ?? false))]
    case .startSessions:
      let count = try call.argument(StartBatchArgument.self).numSessions
      return ["session_ids": .array((0..<count).map { _ in .string(account.startSession([], isClosed: false)) })]
    case .append:
      let argument: AppendArgument = try call.headerArgument()
      try check(argument.contentHash, call.body)
      do throws(SessionRefusal) {
        try account.append(call.body, at: argument.cursor, close: argument.close ?? false)
      } catch { throw APIError(summary: "\(error.tag)/", error.union) }
      return .null
    case .appendBatch:
      let argument: AppendBatchArgument = try call.headerArgument()
      try check(argument.contentHash, call.body)
      return try account.append(call.body, argument)
    case .finish:
      let argument: FinishArgument = try call.headerArgument()
      try check(argument.contentHash, call.body)
      return try account.finish(argument, adding: call.body)
    default: return account.finish(try call.argument(FinishBatchArgument.self))
    }
  }

  private func check(_ hash: String?, _ bytes: [UInt8]) throws(APIError) {
    if let hash, hash != contentHash(bytes) { throw APIError("content_hash_mismatch") }
  }

  private func upload(_ call: Call) throws -> JSON {
    let commit: Commit = try call.headerArgument()
    try Names.check(commit.path)
    try check(commit.contentHash, call.body)
    do throws(WriteRefusal) {
      let item = try account.write(call.body, commit)
      return account.metadata(of: item, isTagged: false)
    } catch {
      throw APIError(
        summary: (["path"] + error.tags).map { $0 + "/" }.joined(),
        [
          ".tag": "path", "reason": .union(error.tags),
          "upload_session_id": .string(account.startSession(call.body, isClosed: true)),
        ])
    }
  }

  /// Sends a version: the latest of a path, or exactly the one with a rev.
  func download(_ call: Call) throws -> Reply {
    let type = call.headers["content-type"] ?? ""
    guard type.isEmpty || type.hasPrefix("text/plain") || type.hasPrefix("application/octet-stream") else {
      throw BadInput("Bad HTTP \"Content-Type\" header: \"\(type)\"")
    }
    let path = try call.headerArgument(PathArgument.self).path
    try Names.check(path)
    let wanted =
      path.hasPrefix("rev:") ? account.versions[String(path.dropFirst(4))]?.item : account.item(at: path)
    guard let item = wanted else { throw APIError("path", "not_found") }
    guard let rev = item.rev, let version = account.versions[rev] else { throw APIError("path", "not_file") }
    guard !account.undownloadable.contains(item.key) else { throw APIError("unsupported_file") }
    let metadata = account.metadata(of: item, isTagged: false)
    let headers = [("Dropbox-API-Result", String(decoding: metadata.ascii, as: UTF8.self)), ("ETag", "W/\"\(rev)\"")]
    guard let range = call.range(of: version.bytes.count) else {
      return Reply(content: version.bytes, status: 200, headers: headers)
    }
    guard !range.isEmpty else { return Reply(status: 416, text: "range") }
    let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(version.bytes.count)"
    return Reply(content: Array(version.bytes[range]), status: 206, headers: headers + [("Content-Range", place)])
  }
}
