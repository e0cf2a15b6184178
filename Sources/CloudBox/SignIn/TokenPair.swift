internal import HTTPStorage
internal import SyncKit

/// The refresh token, which works once, and the access token that came with it. They are stored together, so that another
/// process can use the access token instead of refreshing again.
struct TokenPair: Sendable {
  var refresh: String
  /// Nil if only the refresh token is known.
  var access: AccessToken?

  init(refresh: String, access: AccessToken?) {
    self.refresh = refresh
    self.access = access
  }

  /// Parses the lines of ``text``, whatever follows them, or a refresh token alone; nil for an empty text.
  init?(_ text: String) {
    let lines = text.split(separator: "\n").map { $0.filter { !$0.isWhitespace } }
    guard let first = lines.first, !first.isEmpty else { return nil }
    refresh = first
    guard lines.count >= 3, let seconds = Int64(lines[2]) else { return }
    access = AccessToken(text: lines[1], expiry: Timestamp(seconds: seconds))
  }

  /// Three lines: the refresh token, the access token, and the time at which the latter expires, in seconds since 1970.
  var text: String {
    ([refresh] + (access.map { [$0.text, String($0.expiry.seconds)] } ?? [])).joined(separator: "\n")
  }
}
