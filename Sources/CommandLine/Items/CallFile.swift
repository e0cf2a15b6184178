package import OrgKit

/// Calls of Org's commands on the files of a folder, in the order in which they happen, as `item apply` reads them.
package struct CallFile: Sendable, Decodable {
  /// The wall time, such as `2026-03-10 14:30:00`.
  package var now: String?
  /// The zone, such as `Europe/Berlin`.
  package var tz: String?
  /// The file of calls that name none.
  package var file: String?
  package var calls: [Call]

  /// One call.
  package struct Call: Sendable, Decodable {
    package var verb: String
    package var at: CallValue?
    package var args: CallValue?
    package var notes: [CallValue]?
    package var answers: [String]?
    package var now: String?
  }
}

/// The result of a call: a value, an error, or neither.
package struct CallAnswer: Sendable, Encodable {
  package var verb: String
  package var value: CallValue?
  package var error: String?
}

extension OrgPlace {
  /// The place of a call: `{"path": [TITLE…]}`, `{"id": ID}`, `{"line": N}`, `{"top": true}` or `{}`, with `file`, `item` and
  /// `search`.
  package init(_ value: CallValue?, file: String) {
    let name = value?["file"]?.text ?? file
    let entry: Entry =
      if let id = value?["id"]?.text {
        .id(id)
      } else if let path = value?["path"] {
        .path(path.elements.compactMap(\.text))
      } else if let line = value?["line"]?.number {
        .line(line)
      } else {
        value?["top"] != nil ? .preamble : .first
      }
    self.init(file: name, entry: entry, item: value?["item"]?.text, text: value?["search"]?.text)
  }
}
