package import CurlHTTP
package import SyncKit

extension HTTPDate {
  /// Returns the time in a header; nil for any other text.
  package static func time(_ text: String) -> Timestamp? { seconds(text).map(Timestamp.init(seconds:)) }
}
