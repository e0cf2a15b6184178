internal import SyncKit

/// A route-specific error (status 409), as the chain of its tags: `path`, `conflict`, `file`.
struct Refusal: Hashable, Sendable {
  var tags: [String]
  /// The number of bytes of an upload session that have arrived, if the offset was wrong.
  var correctOffset: Int?

  /// Parses `error_summary`, which contains the tags and ends in a random number of dots.
  init(summary: String) {
    tags = summary.split(separator: "/").map(String.init).filter { !$0.allSatisfy { $0 == "." } }
  }

  init(tags: [String]) { self.tags = tags }

  func has(_ wanted: String...) -> Bool { wanted.allSatisfy(tags.contains) }

  var isConflict: Bool { has("conflict") }
  var isNotFound: Bool { has("not_found") }

  /// The reason why the path is invalid; nil for other errors.
  var namingViolation: String? {
    if has("disallowed_name") { return "Dropbox refuses the name" }
    if has("malformed_path") { return "Dropbox cannot hold the name" }
    return nil
  }

  /// The error for people.
  func error(at path: String) -> SyncError {
    let tags = tags.joined(separator: "/")
    if has("insufficient_space") || has("insufficient_quota") {
      return SyncError(.pathFailed, "cannot write \(path): the Dropbox is full", cause: tags)
    }
    if has("restricted_content") || has("unsupported_file") {
      return SyncError(.pathFailed, "Dropbox refused the download of \(path)", cause: tags)
    }
    if has("no_write_permission") {
      return SyncError(.pathFailed, "cannot write \(path): the account lacks the permission", cause: tags)
    }
    if isNotFound { return SyncError(.notFound, "\(path) is not in the Dropbox", cause: tags) }
    if isConflict { return SyncError(.changedMeanwhile, "another client has changed \(path)", cause: tags) }
    if has("too_many_write_operations") {
      return SyncError(.unavailable, "Dropbox is busy; syncd tries \(path) again later", cause: tags)
    }
    return SyncError(.pathFailed, "Dropbox rejected \(path): \(tags)", cause: tags)
  }
}

/// Decodes nested tags: `{".tag": "path", "path": {".tag": "conflict", "conflict": {".tag": "file"}}}`. The error of an upload
/// is below `reason` instead.
struct TagChain: Decodable, Sendable {
  var tags: [String]

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      tags = [text]
      return
    }
    let members = try decoder.container(keyedBy: Name.self)
    let tag = try members.decode(String.self, forKey: Name(stringValue: ".tag"))
    let inner = [tag, "reason"].compactMap { try? members.decode(TagChain.self, forKey: Name(stringValue: $0)) }
    tags = [tag] + (inner.first?.tags ?? [])
  }
}
