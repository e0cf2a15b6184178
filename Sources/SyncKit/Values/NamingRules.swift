/// The names that a replica can hold, and those that it treats as equal.
public struct NamingRules: Hashable, Sendable {
  /// True if names that differ only in the case of letters are one file.
  public var foldsCase: Bool
  /// True if names that differ only in Unicode normalisation are one file, or are returned in another form.
  public var foldsUnicode: Bool
  /// True if every name must be UTF-8.
  public var requiresUTF8: Bool
  /// The maximum length of one part of a path, in bytes.
  public var maximumNameLength: Int
  /// The maximum length of a whole path, in bytes.
  public var maximumPathLength: Int
  /// Bytes that no name may contain, in addition to the separator and NUL.
  public var forbiddenBytes: Set<UInt8>
  /// The form in which the replica stores every name; nil if it stores names as they are.
  public var unicodeForm: UnicodeForm?

  /// Creates rules. Default: those of a file system that compares bytes and allows 255 of them.
  public init(
    foldsCase: Bool = false, foldsUnicode: Bool = false, requiresUTF8: Bool = false, maximumNameLength: Int = 255,
    forbiddenBytes: Set<UInt8> = [], unicodeForm: UnicodeForm? = nil, maximumPathLength: Int = .max
  ) {
    self.foldsCase = foldsCase
    self.foldsUnicode = foldsUnicode
    self.requiresUTF8 = requiresUTF8
    self.maximumNameLength = maximumNameLength
    self.maximumPathLength = maximumPathLength
    self.forbiddenBytes = forbiddenBytes
    self.unicodeForm = unicodeForm
  }

  /// Returns the reason why the replica cannot hold `path`, as a clause for a message; nil if it can.
  public func violation(by path: SyncPath) -> String? {
    if path.parts.contains(where: { $0.count > maximumNameLength }) { return "the name is too long for this replica" }
    if path.bytes.count > maximumPathLength { return "the path is too long for this replica" }
    if path.bytes.contains(where: forbiddenBytes.contains) {
      return "the name contains a character that this replica does not allow"
    }
    if requiresUTF8, String(validating: path.bytes, as: UTF8.self) == nil { return "the name is not UTF-8" }
    if let unicodeForm, !unicodeForm.holds(path.bytes) {
      return "this replica stores the name in another Unicode form"
    }
    return nil
  }

  /// True if two different paths can be one file.
  public var folds: Bool { foldsCase || foldsUnicode }
}

/// The key of a path under naming rules: equal for all paths that a replica with these rules treats as equal.
public struct CollisionKey: Hashable, Sendable {
  private let text: String?
  private let bytes: [UInt8]

  init(_ path: SyncPath, under rules: NamingRules) {
    guard rules.folds, let text = String(validating: path.bytes, as: UTF8.self) else {
      self.text = nil
      self.bytes = path.bytes
      return
    }
    let folded = rules.foldsCase ? text.lowercased() : text
    // Strings compare and hash by canonical equivalence, which is correct here and nowhere else.
    self.text = rules.foldsUnicode ? folded : nil
    self.bytes = rules.foldsUnicode ? [] : Array(folded.utf8)
  }
}

extension SyncPath {
  /// Returns the key that is equal for all paths that a replica with these rules cannot hold side by side.
  public func collisionKey(under rules: NamingRules) -> CollisionKey { CollisionKey(self, under: rules) }
}
