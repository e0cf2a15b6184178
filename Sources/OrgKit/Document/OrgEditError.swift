/// An edit that was rejected because Org would parse the result differently. The document is unchanged.
public struct OrgEditError: Error, Hashable, Sendable {
  /// The field of an edit.
  public enum Field: Hashable, Sendable {
    case keyword, priority, comment, title, tags, scheduled, deadline, closed, body
    /// The property with this key.
    case property(String)
  }

  /// The reason why an edit is rejected.
  public enum Reason: Hashable, Sendable {
    /// The value has a line break or another control character.
    case controlCharacter
    /// The file does not declare the keyword; it declares these.
    case undeclaredKeyword(declared: [String])
    /// A priority is a letter, a digit, or a number up to 64.
    case notAPriority
    /// A tag has letters, digits and `_@#%` only.
    case notATag(String)
    /// The date or the time does not exist, or a repeater or delay is malformed.
    case notATimestamp
    /// A property key has no white space, and is neither empty nor `END`.
    case notAKey
    /// Org would parse the new text as another field, for example the end of a title as tags.
    case readsDifferently
  }

  /// The field of the edit.
  public let field: Field
  /// The rejected value; nil if the field was to be removed.
  public let value: String?
  /// The reason why the edit is rejected.
  public let reason: Reason
}

extension OrgEditError: CustomStringConvertible {
  /// What failed, why, and what to do.
  public var description: String {
    let edit = value.map { "Cannot set \(field.name) to \"\($0)\"" } ?? "Cannot remove \(field.name)"
    return "\(edit): \(reason.text)"
  }
}

extension OrgEditError.Field {
  fileprivate var name: String {
    switch self {
    case .keyword: "the keyword"
    case .priority: "the priority"
    case .comment: "the keyword COMMENT"
    case .title: "the title"
    case .tags: "the tags"
    case .scheduled: "SCHEDULED"
    case .deadline: "DEADLINE"
    case .closed: "CLOSED"
    case .body: "the text"
    case .property(let key): "the property \"\(key)\""
    }
  }
}

extension OrgEditError.Reason {
  fileprivate var text: String {
    switch self {
    case .controlCharacter: "it has a line break or another control character; remove it"
    case .undeclaredKeyword(let declared):
      "the file does not declare this keyword; use one of \(declared.joined(separator: ", ")) or declare it with #+TODO"
    case .notAPriority: "it is not a priority; use a letter, a digit, or a number up to 64"
    case .notATag(let tag): "\"\(tag)\" is not a tag; use letters, digits and _@#%"
    case .notATimestamp: "it is not a timestamp; use a day of the calendar and a time from 00:00 to 24:00"
    case .notAKey: "the key is not valid; use a key without white space other than END"
    case .readsDifferently: "Org would read the entry differently; change the text"
    }
  }
}
