internal import CurlHTTP
internal import SyncKit

/// The answer to a request, with a small body.
struct Answer: Sendable {
  var status: Int
  var headers: [HTTPHeader]
  var body: [UInt8] = []

  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  var isGood: Bool { (200..<300).contains(status) }

  /// The time by the server's clock.
  var date: Timestamp? { header("Date").flatMap(HTTPDate.time) }
}

/// The result of a request that changes something.
enum Outcome: Sendable {
  case answered(Answer)
  /// It was not carried out, for this reason.
  case notSent(SyncError)
  /// It is unknown if it was carried out: the answer was lost.
  case lost(SyncError)

  /// The status, or 0 without an answer.
  var status: Int { if case .answered(let answer) = self { answer.status } else { 0 } }
  var isGood: Bool { if case .answered(let answer) = self { answer.isGood } else { false } }
}
