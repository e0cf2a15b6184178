/// The request of `POST /emulator/control`: one operation.
struct Order: Decodable {
  enum Operation: String, Decodable {
    /// Resets all state.
    case reset
    /// Plans a fault.
    case fail
    /// Removes all planned faults.
    case calm
    /// Expires all issued access tokens.
    case expireTokens = "expire_tokens"
    /// Revokes all sign-ins.
    case revoke
    /// Invalidates all issued cursors.
    case resetCursors = "reset_cursors"
    /// Sets the duration of a second of a long poll, and the backoff that it requests.
    case longpoll
    case pageSize = "page_size"
    case quota
    /// Delays changes in listings by this number of seconds.
    case delay
    /// Makes renames that change only case report success and do nothing.
    case caseRenames = "case_renames"
    /// Prevents downloads of files at this path.
    case undownloadable
    /// Assigns the account to a team whose space has this namespace.
    case root
    /// Resets the number of calls per route.
    case recount
  }

  var op: Operation
  var scale: Double?
  var backoff: Int?
  var n: Int?
  var bytes: Int?
  var seconds: Double?
  var ignored: Bool?
  var path: String?
  var namespace: String?
}
