/// The request of `POST /emulator/control`: one operation.
struct Order: Decodable {
  enum Operation: String, Decodable {
    /// Forget everything.
    case reset
    /// Plan a fault.
    case fail
    /// Plan none any more.
    case calm
    /// Access tokens that were given out so far have expired.
    case expireTokens = "expire_tokens"
    /// No one is signed in any more.
    case revoke
    /// Cursors that were given out so far are void.
    case resetCursors = "reset_cursors"
    /// How long a second of a long poll is, and the backoff it asks for.
    case longpoll
    case pageSize = "page_size"
    case quota
    /// Changes appear in listings only after this many seconds.
    case delay
    /// True if renames in case only report success and do nothing.
    case caseRenames = "case_renames"
    /// Files at this path cannot be downloaded.
    case undownloadable
    /// The account belongs to a team whose space has this namespace.
    case root
    /// Sets back how often each route was called.
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
