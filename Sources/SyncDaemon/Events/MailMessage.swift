import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An event as a mail message (RFC 5322).
struct MailMessage {
  private let event: SyncEvent
  private let recipient: String

  init(_ event: SyncEvent, to recipient: String) {
    self.event = event
    self.recipient = recipient
  }

  /// Returns true if a text is an address, or a user of this machine, and not an option of the program.
  static func isAddress(_ text: String) -> Bool {
    guard let first = text.first, first != "-" else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "@.!#$%&'*+-/=?^_`{|}~".contains($0)) }
  }

  /// The headers and the body. No line of the event can become a header, because its texts are single lines without control
  /// characters.
  var text: String {
    let headers = [
      "To: \(recipient)", "Subject: \(subject)", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit",
    ]
    return (headers + [""] + body).joined(separator: "\n") + "\n"
  }

  /// The kind and the remote; both have ASCII letters only, so they need no encoding.
  private var subject: String { "syncd: \(event.kind.rawValue): \(event.remote)" }

  private var body: [String] {
    var lines = [event.message, ""]
    lines += event.files.prefix(100).map { "\($0.path): \($0.action)" + ($0.detail.isEmpty ? "" : ", \($0.detail)") }
    if event.fileCount > 100 { lines.append("and \((event.fileCount - 100).counted("more file"))") }
    if event.leftOut > 0 { lines.append("\(event.leftOut.counted("similar event")) before this one left out") }
    return lines
  }
}
