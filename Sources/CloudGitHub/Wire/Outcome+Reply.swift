internal import HTTPStorage
internal import SyncKit

extension Outcome {
  /// The reference in the answer; nil if it is another document.
  var reference: ReferenceReply? {
    if case .answered(let answer) = self { answer.value(ReferenceReply.self) } else { nil }
  }

  /// The reason why the request was not carried out, or may not have been.
  func error(at place: String) -> SyncError {
    switch self {
    case .answered(let answer):
      SyncError(.unavailable, "\(place) answered HTTP \(answer.status): \(answer.message)")
    case .notSent(let error), .lost(let error): error
    }
  }
}
