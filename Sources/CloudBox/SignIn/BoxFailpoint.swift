internal import SyncKit

/// The points of a rotation of the tokens at which a test can stop the program.
enum BoxFailpoint: String, ModuleFailpoint {
  case lockTaken = "box.token.locked"
  case spaceReserved = "box.token.reserved"
  /// Box has replaced the old refresh token, and the new one is only in memory.
  case answerReceived = "box.token.received"
  case tokenWritten = "box.token.written"
  case tokenPublished = "box.token.published"
  case tokenStored = "box.token.stored"

  var promise: String { "P8" }
}
