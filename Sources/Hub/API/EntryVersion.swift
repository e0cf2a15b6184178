import OrgKit
package import SyncKit

/// An entry in the content of its file.
package struct PlacedEntry: Sendable {
  /// The path of the file.
  package let path: String
  /// The file as it is now.
  package let content: [UInt8]
  /// The number of the entry in the file.
  package let place: Int
}

/// A version of an entry in the history of its file.
package struct EntryVersion: Sendable {
  /// The entry with everything below it, without blank lines at its end; nil if this version lacks it.
  let text: [UInt8]?
  /// The pass and the time of the version, its origin, and what it changed.
  let facts: JSON

  /// - Parameter facts: the pass and the time of the version, its origin, and what it changed.
  package init(text: [UInt8]?, facts: JSON) { (self.text, self.facts) = (text, facts) }

  /// The version for a device, with the entry as it was then.
  ///
  /// - Parameter file: the file as it is now, whose lines above the first heading name the task states.
  func json(in file: HubFile, _ settings: OrgSettings) -> JSON {
    var json = facts
    json["item"] = text.map { item($0, file, settings) } ?? .null
    return json
  }

  private func item(_ text: [UInt8], _ file: HubFile, _ settings: OrgSettings) -> JSON {
    let document = file.document
    let preamble = document.bytes[..<(document.entries.first?.subtree.startIndex ?? document.bytes.endIndex)]
    return HubFile(file.path, Array(preamble) + text, settings).whole(0)
  }
}
