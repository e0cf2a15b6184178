package import SyncKit

/// A version of a file that another sync program, or a merge tool, left beside the file.
package struct ForeignCopy: Hashable, Sendable {
  /// The path of the copy.
  package let path: SyncPath
  /// The path of the file that it is a version of.
  package let file: SyncPath
  /// The name of the program, for messages.
  package let program: String
  /// True if other files can have such a name, too: then it is a copy only if the file exists and is similar.
  package let isUncertain: Bool

  /// Returns the copy with this path; nil if its name is that of an ordinary file.
  package init?(_ path: SyncPath) {
    let name = String(decoding: path.name, as: UTF8.self)
    // A name that is not UTF-8 is none that these programs write.
    guard name.utf8.elementsEqual(path.name) else { return nil }
    for rule in Self.rules {
      guard let original = rule.original(name), original != name, !original.isEmpty,
        let file = path.sibling(Array(original.utf8))
      else { continue }
      // A copy can have a copy.
      let inner = rule.isUncertain ? nil : ForeignCopy(file).flatMap { $0.isUncertain ? nil : $0 }
      (self.path, self.file) = (path, inner?.file ?? file)
      (program, isUncertain) = (rule.program, rule.isUncertain)
      return
    }
    return nil
  }

  /// Returns the copies among these files.
  package static func all(among paths: [SyncPath]) -> [ForeignCopy] {
    let known = Set(paths)
    return paths.compactMap(ForeignCopy.init).filter { !$0.isUncertain || known.contains($0.file) }
  }

  private struct Rule: Sendable {
    var program: String
    var isUncertain = false
    /// Returns the name of the file for that of a copy.
    var original: @Sendable (String) -> String?
  }

  private static let rules = [
    Rule(program: "Syncthing") { name in
      name.without(#/\.sync-conflict-[0-9]{8}-[0-9]{6}(-[A-Z0-9]{7})?/#)
    },
    // Dropbox, Nextcloud and ownCloud; the name of a device or user may come first, a number last.
    Rule(program: "Dropbox or Nextcloud") { name in
      name.without(
        #/ \(([^()]*('s|’s|s') )?conflicted copy ([^()]* )?[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{4,6})?( \([0-9]+\))?\)/#)
    },
    Rule(program: "ownCloud") { name in name.without(#/_conflict-[0-9]{8}-[0-9]{6}/#) },
    Rule(program: "Seafile") { name in name.without(#/ \(SFConflict [^()]*\)/#) },
    Rule(program: "a merge tool", isUncertain: true) { name in
      name.hasSuffix(".orig") ? String(name.dropLast(5)) : nil
    },
    Rule(program: "iCloud Drive", isUncertain: true) { name in name.without(#/ [2-9](?=\.[^. ]+$)/#) },
  ]
}

extension String {
  /// The text without the only match of a pattern; nil if there is none.
  fileprivate func without(_ pattern: some RegexComponent) -> String? {
    guard let range = firstRange(of: pattern) else { return nil }
    return String(self[..<range.lowerBound] + self[range.upperBound...])
  }
}
