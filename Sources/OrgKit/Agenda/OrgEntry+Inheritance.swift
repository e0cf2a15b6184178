/// What an entry has from the entries above it and from the file.
extension OrgEntry {
  /// The tags of the file and of all entries above, from the top, each once.
  public var inheritedTags: [String] {
    var tags = parent.map { $0.inheritedTags + $0.tags } ?? document.fileTags
    var seen: Set<String> = []
    tags.removeAll { !seen.insert($0).inserted }
    return tags
  }

  /// All tags that count for the entry: what it inherits, then its own.
  public var allTags: [String] {
    let inherited = inheritedTags
    return inherited + tags.filter { !inherited.contains($0) }
  }

  /// The property `CATEGORY` of the entry or the nearest one above, or the line `#+CATEGORY:` of the file; nil if there is
  /// none, where Org takes the name of the file.
  public var category: String? {
    self[property: "CATEGORY"] ?? (parent.map(\.category) ?? document.settings("CATEGORY").first)
  }

  /// True if the entry or one above it is archived or commented out, so that no agenda shows it.
  public var isSetAside: Bool {
    isComment || tags.contains("ARCHIVE") || (parent.map(\.isSetAside) ?? document.fileTags.contains("ARCHIVE"))
  }
}

extension OrgDocument {
  /// The tags that all entries of the file have, by lines `#+FILETAGS: :a:b:`.
  public var fileTags: [String] {
    settings("FILETAGS").flatMap { Array($0.utf8)[...].parts { $0 == .colon || $0.isBlank } }.map(\.string)
  }
}
