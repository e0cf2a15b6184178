import SyncKit

/// The recorded answer of a batch that a crash interrupted.
struct InterruptedAnswer {
  private let document: JSON

  init(_ text: String) { document = (try? ParsedJSON.read(Array(text.utf8))) ?? ["results": []] }

  private var results: [JSON] { if case .array(let results)? = document["results"] { results } else { [] } }

  /// The made identifiers that the batch has changed, with the new ones.
  var renamed: [String: String] {
    let pairs = results.compactMap { result -> (String, String)? in
      guard case .string(let old)? = result["for"], case .string(let new)? = result["id"] else { return nil }
      guard ItemID.isMade(old), old != new else { return nil }
      return (old, new)
    }
    return Dictionary(pairs) { $1 }
  }

  /// The answer without the entries, because another program has changed their texts since.
  ///
  /// - Parameter unsure: a file of which it is unknown whether the batch is in it; nil if it is in all.
  func text(unsure: SyncPath?) -> String {
    var document = document
    document["results"] = .array(
      results.map { result in
        var result = result
        if let unsure {
          result = [
            "result": "refused", "question": false,
            "detail": .string(
              "the hub was interrupted while another program changed \(unsure); check the entry, and edit it again"),
            "for": result["for"] ?? .null,
          ]
        }
        if result["item"] != nil { result["item"] = .null }
        return result
      })
    return document.line
  }
}
