internal import CurlHTTP
internal import SyncKit

extension HTTPDate {
  /// Returns the time in a header; nil for any other text.
  static func time(_ text: String) -> Timestamp? { seconds(text).map(Timestamp.init(seconds:)) }
}
