public import SettingsRegistry

/// What happens to a file that both sides changed. No policy loses a version: the other one is in the history or beside the
/// file.
public enum ConflictPolicy: String, Sendable, CaseIterable, SettingValue {
  case merge
  case keepBoth = "keep-both"
  case preferLocal = "prefer-local"
  case preferRemote = "prefer-remote"
  /// Prefers the side whose file was modified later; merges if the times are equal, or one is unknown.
  case preferNewer = "prefer-newer"
}

/// The policy for the files that match a pattern, written as `journal/** -> prefer-newer`.
public struct ConflictRule: Sendable, TextSettingValue {
  /// The policy for these files.
  public let policy: ConflictPolicy
  /// The rule as written.
  public let text: String
  private let pattern: GlobPattern

  /// A pattern and a policy; the schema checks the policy only.
  public static var form: SettingForm {
    let policies = ConflictPolicy.allCases.map(\.rawValue).joined(separator: "|")
    return SettingForm(
      "a pattern and a policy such as \"journal/** -> prefer-newer\"",
      schema: ["type": "string", "pattern": .string("^[^!].*-> *(\(policies)) *$")])
  }

  /// Nil if `text` is not a pattern that matches files, an arrow and a policy.
  public init?(text: String) {
    let arrow = Array("->".utf8)
    let bytes = Array(text.utf8)
    guard let start = bytes.indices.last(where: { bytes[$0...].starts(with: arrow) }) else { return nil }
    let word = String(decoding: bytes[(start + arrow.count)...], as: UTF8.self)
    let name = word.split(separator: " ", omittingEmptySubsequences: true)
    let policy = name.count == 1 ? ConflictPolicy(rawValue: String(name[0])) : nil
    guard let policy, let pattern = GlobPattern(line: Array(bytes[..<start])), !pattern.isNegated else { return nil }
    (self.policy, self.pattern, self.text) = (policy, pattern, text)
  }

  /// Returns true if the pattern matches the file at `path` or a folder above it.
  func applies(to path: SyncPath) -> Bool {
    pattern.matches(path.bytes, isFolder: false)
      || path.ancestors.contains { pattern.matches($0.bytes, isFolder: true) }
  }
}

/// The conflict policies of a remote.
public struct ConflictPolicies: Sendable {
  /// The policy for files that no rule matches.
  public var standard: ConflictPolicy
  /// Policies for some files; the last rule that matches a file decides.
  public var rules: [ConflictRule]

  public init(_ standard: ConflictPolicy = .merge, rules: [ConflictRule] = []) {
    self.standard = standard
    self.rules = rules
  }

  /// Returns the policies of a remote with its own settings: its policy replaces all of these, and its rules are added.
  public func with(_ standard: ConflictPolicy?, rules: [ConflictRule]) -> ConflictPolicies {
    if let standard { return ConflictPolicies(standard, rules: rules) }
    return ConflictPolicies(self.standard, rules: self.rules + rules)
  }

  /// Returns the policy for a file.
  public func policy(for path: SyncPath) -> ConflictPolicy {
    rules.last { $0.applies(to: path) }?.policy ?? standard
  }

  /// Returns how two versions of a file become one result.
  func treatment(of path: SyncPath, local: Timestamp?, remote: Timestamp?) -> ConflictTreatment {
    switch policy(for: path) {
    case .merge: return .merge
    case .keepBoth: return .keepBoth
    case .preferLocal: return .prefer(.local)
    case .preferRemote: return .prefer(.remote)
    case .preferNewer:
      guard let local, let remote, local != remote else { return .merge }
      return .prefer(local > remote ? .local : .remote)
    }
  }
}

/// How two versions of a file become one result.
enum ConflictTreatment: Hashable, Sendable {
  case merge
  /// Merge; where that needs a decision by a user, this side decides.
  case prefer(Side)
  case keepBoth

  static let all: [ConflictTreatment] = [.merge, .prefer(.local), .prefer(.remote), .keepBoth]

  /// The side that decides where a merge would need a user; nil if none does.
  var preferredSide: Side? { if case .prefer(let side) = self { side } else { nil } }
}
