/// Which names a replica can hold, and which of them it takes for the same.
public struct NamingRules: Hashable, Sendable {
  /// Whether names that differ in the case of letters only are one file there.
  public var foldsCase: Bool
  /// Whether names that differ in Unicode form only are one file there, or come back in another form.
  public var foldsUnicode: Bool
  /// Whether every name has to be UTF-8.
  public var requiresUTF8: Bool
  /// How many bytes one part of a path may have.
  public var maximumNameLength: Int
  /// Bytes that no name may hold, besides the separator and NUL.
  public var forbiddenBytes: Set<UInt8>

  public init(
    foldsCase: Bool = false, foldsUnicode: Bool = false, requiresUTF8: Bool = false, maximumNameLength: Int = 255,
    forbiddenBytes: Set<UInt8> = []
  ) {
    self.foldsCase = foldsCase
    self.foldsUnicode = foldsUnicode
    self.requiresUTF8 = requiresUTF8
    self.maximumNameLength = maximumNameLength
    self.forbiddenBytes = forbiddenBytes
  }

  /// Why the replica cannot hold `path`, or nil if it can.
  public func objection(to path: SyncPath) -> String? {
    if path.parts.contains(where: { $0.count > maximumNameLength }) { return "the name is too long there" }
    if path.bytes.contains(where: forbiddenBytes.contains) {
      return "the name holds a character that is forbidden there"
    }
    if requiresUTF8, String(validating: path.bytes, as: UTF8.self) == nil { return "the name is not UTF-8" }
    return nil
  }

  /// Whether two different paths can be one file.
  public var folds: Bool { foldsCase || foldsUnicode }
}

/// What two paths have in common if a replica cannot tell them apart.
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
    // Strings are equal and hash alike in every Unicode form, which is just what is wanted here and nowhere else.
    self.text = rules.foldsUnicode ? folded : nil
    self.bytes = rules.foldsUnicode ? [] : Array(folded.utf8)
  }
}

extension SyncPath {
  /// A key that is equal for all paths that a replica with these rules cannot hold side by side.
  public func collisionKey(under rules: NamingRules) -> CollisionKey { CollisionKey(self, under: rules) }
}
