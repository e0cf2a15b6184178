internal import CurlHTTP
internal import SyncKit

/// The answer to a request whose body is small.
struct Answer: Sendable {
  var status: Int
  var headers: [HTTPHeader]
  var body: [UInt8] = []

  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  var isGood: Bool { (200..<300).contains(status) }

  /// The time of the server's clock.
  var date: Timestamp? { header("Date").flatMap(HTTPDate.time) }
}

/// How a request that changes something ended.
enum Outcome: Sendable {
  case answered(Answer)
  /// Nothing was carried out, for this reason.
  case notSent(SyncError)
  /// It may have been carried out or not: the answer was lost.
  case lost(SyncError)

  /// The status, or 0 where there was no answer.
  var status: Int { if case .answered(let answer) = self { answer.status } else { 0 } }
  var isGood: Bool { if case .answered(let answer) = self { answer.isGood } else { false } }
}
