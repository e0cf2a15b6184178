/// The inherited properties of an entry.
extension OrgEntry {
  /// The tags of the file and of all parent entries, from the top, without duplicates.
  public var inheritedTags: [String] {
    var tags = parent.map { $0.inheritedTags + $0.tags } ?? document.fileTags
    var seen: Set<String> = []
    tags.removeAll { !seen.insert($0).inserted }
    return tags
  }

  /// All tags of the entry: inherited ones, then its own.
  public var allTags: [String] {
    let inherited = inheritedTags
    return inherited + tags.filter { !inherited.contains($0) }
  }

  /// The property `CATEGORY` of the entry or its nearest parent, or the file's `#+CATEGORY:` line; nil if there is none, where
  /// Org uses the file name.
  public var category: String? {
    self[property: "CATEGORY"] ?? (parent.map(\.category) ?? document.settings("CATEGORY").first)
  }

  /// True if the entry or a parent is archived or commented out, so that no agenda shows it.
  public var isSetAside: Bool {
    isComment || tags.contains("ARCHIVE") || (parent.map(\.isSetAside) ?? document.fileTags.contains("ARCHIVE"))
  }
}

extension OrgDocument {
  /// The file's tags from `#+FILETAGS: :a:b:` lines.
  public var fileTags: [String] {
    settings("FILETAGS").flatMap { Array($0.utf8)[...].parts { $0 == .colon || $0.isBlank } }.map(\.string)
  }
}
