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
    /// Sets the seconds for which new access tokens are valid.
    case tokenLife = "token_life"
    case pageSize = "page_size"
    /// Sets the duration of a second of a long poll.
    case longpoll
    /// Doubles, shuffles or loses events.
    case events
    /// Adds an event of any type without an item.
    case event
    /// Answers the next commits of an upload session with 202.
    case commitDelay = "commit_delay"
    case quota
    /// Resets the number of calls per route.
    case recount
  }

  var op: Operation
  var n: Int?
  var count: Int?
  var seconds: Int?
  var scale: Double?
  var duplicate: Bool?
  var shuffle: Bool?
  var lose: Bool?
  var type: String?
  var bytes: Int?
}
