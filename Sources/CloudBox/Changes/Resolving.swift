internal import HTTPStorage
internal import SyncKit

extension Outcome {
  /// True if something was removed. Another answer of success is not from Box.
  var isRemoval: Bool { status == 204 }

  /// True if it is unknown if the change was made. A write may take effect even after an answer such as 503 (Box, "Common
  /// errors").
  var isLost: Bool {
    switch self {
    case .lost: true
    case .answered(let answer): answer.status >= 500 || answer.isGood && answer.body.isEmpty && answer.status == 200
    case .notSent: false
    }
  }
}

extension BoxStorage {
  /// The result of a change that Box has refused for a reason of its own.
  func result(of answer: Answer, _ path: SyncPath) -> WriteResult {
    let code = answer.refusal?.code ?? ""
    switch code {
    case "item_name_invalid": return .cannot("Box refuses the name")
    case "item_name_too_long": return .cannot("the name is too long for Box")
    case "access_denied_item_locked": return .postponed("a user has locked \(path) in Box")
    default: return .failed(service.failure(answer, at: path.description))
    }
  }
}
