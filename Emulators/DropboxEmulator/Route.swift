internal import EmulatorWire
internal import SettingsRegistry

/// The routes of the API.
enum Route: String {
  case checkUser = "check/user"
  case account = "users/get_current_account"
  case spaceUsage = "users/get_space_usage"
  case revokeToken = "auth/token/revoke"
  case upload = "files/upload"
  case download = "files/download"
  case metadata = "files/get_metadata"
  case list = "files/list_folder"
  case listMore = "files/list_folder/continue"
  case latestCursor = "files/list_folder/get_latest_cursor"
  case longpoll = "files/list_folder/longpoll"
  case revisions = "files/list_revisions"
  case delete = "files/delete_v2"
  case deleteBatch = "files/delete_batch"
  case deleteBatchCheck = "files/delete_batch/check"
  case createFolder = "files/create_folder_v2"
  case createFolders = "files/create_folder_batch"
  case createFoldersCheck = "files/create_folder_batch/check"
  case move = "files/move_v2"
  case moveBatch = "files/move_batch_v2"
  case moveBatchCheck = "files/move_batch/check_v2"
  case startSession = "files/upload_session/start"
  case startSessions = "files/upload_session/start_batch"
  case append = "files/upload_session/append_v2"
  case appendBatch = "files/upload_session/append_batch"
  case finish = "files/upload_session/finish"
  case finishBatch = "files/upload_session/finish_batch_v2"

  /// True if the body is a content, and the argument is in a header.
  var takesContent: Bool {
    switch self {
    case .upload, .startSession, .append, .appendBatch, .finish: true
    default: false
    }
  }
}

struct LongpollArgument: Decodable {
  var cursor: String
  var timeout: Int?
}

struct CursorArgument: Decodable {
  var cursor: String
}

struct PathArgument: Decodable {
  var path: String
  var includeDeleted: Bool?
  var limit: Int?
}

struct BatchArgument<Entry: Decodable>: Decodable {
  var entries: [Entry]
}

struct PathsArgument: Decodable {
  var paths: [String]
}

struct JobArgument: Decodable {
  var asyncJobId: String
}

extension Emulator {
  /// Executes a call of a route.
  func carryOut(_ route: Route, _ call: Call) async throws -> Reply {
    if route.takesContent, !(call.headers["content-type"] ?? "").hasPrefix("application/octet-stream") {
      throw BadInput("Bad HTTP \"Content-Type\" header: \"\(call.headers["content-type"] ?? "")\"")
    }
    switch route {
    case .checkUser:
      let query: [String: String]? = try call.argument()
      return Reply(json: ["result": .string(query?["query"] ?? "")])
    case .account: return Reply(json: identity.account)
    case .spaceUsage:
      return Reply(
        json: [
          "used": .integer(account.usedBytes),
          "allocation": [".tag": "individual", "allocated": .integer(account.quota ?? 2 << 30)],
        ])
    case .revokeToken:
      tokens.revokeAll()
      return Reply(json: .null)
    case .download: return try download(call)
    case .longpoll: return Reply(json: try await wait(for: try call.argument()))
    case .metadata, .list, .listMore, .latestCursor, .revisions: return Reply(json: try look(route, call))
    case .delete, .createFolder, .move, .deleteBatch, .deleteBatchCheck, .createFolders, .createFoldersCheck,
      .moveBatch, .moveBatchCheck:
      return Reply(json: try change(route, call))
    case .upload, .startSession, .startSessions, .append, .appendBatch, .finish, .finishBatch:
      return Reply(json: try take(route, call))
    }
  }

  private func look(_ route: Route, _ call: Call) throws -> JSON {
    switch route {
    case .list: return try account.list(try call.argument())
    case .listMore: return try account.listMore(try call.argument(CursorArgument.self).cursor)
    case .latestCursor: return try account.latestCursor(try call.argument())
    default:
      let argument: PathArgument = try call.argument()
      return route == .revisions
        ? try account.revisions(of: argument.path, limit: argument.limit ?? 10) : try metadata(argument)
    }
  }

  private func metadata(_ argument: PathArgument) throws -> JSON {
    guard !argument.path.isEmpty else { throw BadInput("path: The root folder is unsupported.") }
    try Names.check(argument.path)
    if let item = account.item(at: argument.path) { return account.metadata(of: item) }
    let key = Names.key(argument.path)
    guard argument.includeDeleted == true, account.history[key] != nil else { throw APIError("path", "not_found") }
    return account.deletedMetadata(key, display: account.lastName(of: key))
  }

  private func change(_ route: Route, _ call: Call) throws -> JSON {
    switch route {
    case .delete: return try account.delete(try call.argument())
    case .createFolder: return try account.createFolder(try call.argument())
    case .move: return try account.move(try call.argument())
    case .deleteBatch:
      let batch: BatchArgument<DeleteArgument> = try call.argument()
      return launch(try batch.entries.map { entry in try end { try account.delete(entry) } })
    case .moveBatch:
      let batch: MoveBatchArgument = try call.argument()
      return launch(try batch.entries.map { entry in try moveEnd(entry, autorename: batch.autorename) })
    case .createFolders:
      let batch: PathsArgument = try call.argument()
      return launch(try batch.paths.map { path in try end { try account.createFolder(FolderArgument(path: path)) } })
    default:
      let id = try call.argument(JobArgument.self).asyncJobId
      guard let end = jobs.removeValue(forKey: id) else { throw APIError("invalid_async_job_id") }
      return end
    }
  }

  /// The result of one entry of a batch.
  private func end(_ work: () throws -> JSON) throws -> JSON {
    do {
      guard case .object(let members) = try work() else { return .null }
      return .object([JSON.Member(".tag", "success")] + members)
    } catch let error as APIError { return [".tag": "failure", "failure": error.union] }
  }

  /// The result of one move of a batch: the metadata of a success is nested, and a failure has one more tag.
  private func moveEnd(_ entry: MoveArgument, autorename: Bool?) throws -> JSON {
    var entry = entry
    entry.autorename = autorename
    do {
      let moved = try account.move(entry)
      return [".tag": "success", "success": moved["metadata"] ?? .null]
    } catch let error as APIError {
      return [".tag": "failure", "failure": [".tag": "relocation_error", "relocation_error": error.union]]
    }
  }

  /// Executes a batch at once but reports it as unfinished, like the real service.
  private func launch(_ ends: [JSON]) -> JSON {
    let id = "job-\(account.next())"
    jobs[id] = [".tag": "complete", "entries": .array(ends)]
    return [".tag": "async_job_id", "async_job_id": .string(id)]
  }
}
