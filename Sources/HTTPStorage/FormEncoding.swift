/// Encodes forms as `application/x-www-form-urlencoded`.
package enum FormEncoding {
  package static let type = "application/x-www-form-urlencoded"

  /// Returns the body, which is also a query.
  package static func text(_ fields: [(String, String)]) -> String {
    fields.map { "\(PercentCoding.encoded($0.utf8))=\(PercentCoding.encoded($1.utf8))" }.joined(separator: "&")
  }
}
