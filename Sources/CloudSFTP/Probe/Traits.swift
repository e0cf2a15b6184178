internal import SyncKit

/// The behaviour of a server, as it was observed. What was not proved counts as absent.
struct Traits: Hashable, Sendable {
  /// The method of giving a file a name.
  enum Placing: String, Sendable {
    /// A second name, which the server refuses if it is taken.
    case link
    /// A plain rename, which the server refuses if the name is taken.
    case rename
    /// A plain rename, which overwrites.
    case overwriting
  }

  var placing = Placing.overwriting
  /// A file can be moved to another name in one step.
  var movesAtomically = false
  /// The content of an open file can be made durable.
  var syncs = false
  var foldsCase = false
  var foldsUnicode = false
  var requiresUTF8 = false

  /// True if no change can replace an unseen version.
  var isSafe: Bool { placing != .overwriting && movesAtomically }

  /// The features that the server lacks, as a clause; empty if it lacks none that is needed.
  var failure: String {
    let lacks = [
      placing == .overwriting ? "a way to give a file a name that never overwrites another file" : nil,
      movesAtomically ? nil : "the atomic rename of OpenSSH (posix-rename@openssh.com)",
    ].compactMap(\.self)
    return lacks.isEmpty ? "" : "it lacks " + lacks.joined(separator: " and ")
  }

  /// A version that is moved away gets a longer name, which must be valid as well.
  var naming: NamingRules {
    NamingRules(
      foldsCase: foldsCase, foldsUnicode: foldsUnicode, requiresUTF8: requiresUTF8,
      maximumNameLength: 255 - PreviousVersionName.addedLength)
  }

  var capabilities: Capabilities {
    Capabilities(
      replacement: isSafe ? .moves : .unsafe, isRaceFree: isSafe, naming: naming,
      parallelism: SFTPStorage.parallelism, commitLimit: CommitLimit(count: 1_024, bytes: 32 << 20),
      uploadCheck: .sampled)
  }
}

/// Traits with the time and the server of the probe, as the journal stores them.
struct ProbeRecord: Hashable, Sendable {
  var traits: Traits
  var time: Timestamp
  /// The extensions that the server announced.
  var extensions: [String]

  private static let version = "1"
  private static let validity: Int64 = 7 * 86_400

  init(_ traits: Traits, at time: Timestamp, extensions: [String]) {
    (self.traits, self.time, self.extensions) = (
      traits, time, extensions.map { $0.filter { !$0.isNewline && $0 != " " } }
    )
  }

  /// True if the probe is recent.
  func isValid(at now: Timestamp) -> Bool { (0..<Self.validity).contains(now.seconds - time.seconds) }

  var bytes: [UInt8] {
    Array(
      [
        Self.version, "\(time.seconds)", extensions.joined(separator: " "), traits.placing.rawValue,
        "\(traits.movesAtomically)", "\(traits.syncs)", "\(traits.foldsCase)", "\(traits.foldsUnicode)",
        "\(traits.requiresUTF8)",
      ].joined(separator: "\n").utf8)
  }

  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 9, lines[0] == Self.version, let seconds = Int64(lines[1]),
      let placing = Traits.Placing(rawValue: lines[3])
    else { return nil }
    (time, extensions) = (Timestamp(seconds: seconds), lines[2].split(separator: " ").map(String.init))
    traits = Traits(
      placing: placing, movesAtomically: lines[4] == "true", syncs: lines[5] == "true", foldsCase: lines[6] == "true",
      foldsUnicode: lines[7] == "true", requiresUTF8: lines[8] == "true")
  }
}
