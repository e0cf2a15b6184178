internal import SyncKit

/// The behaviour of a server, as it was observed. What was not proved counts as absent.
struct Traits: Hashable, Sendable {
  /// The form in which the server compares the tag of `If-Match`.
  enum TagForm: String, Sendable {
    case quoted
    /// Without quotes: Ceph up to version 19 compares the header with the bare tag.
    case bare
  }

  /// The method of removing an object without losing another writer's version.
  enum Removal: String, Sendable {
    /// DELETE with `If-Match`.
    case condition
    /// A conditional PUT of a tombstone, then a DELETE that the server refuses a minute later.
    case twoSteps
    /// A conditional PUT of a tombstone, which stays: the server carries out DELETE at any time.
    case tombstone
  }

  /// PUT with `If-None-Match: *` never replaces an object.
  var guardsCreations = false
  /// The form of a tag with which PUT replaces only that version; nil if no form does.
  var tagForm: TagForm?
  var removal = Removal.tombstone
  /// A copy on the server keeps the metadata, and the conditions on the source and on a free target.
  var copies = false
  /// An upload whose hash differs from its signature is refused.
  var checksBodies = false
  /// The bucket keeps former versions; nil if the key may not ask.
  var keepsVersions: Bool?
  /// The first reason why a requirement is not met, as a clause; empty if there is none.
  var failure = ""

  /// True if no change can replace an unseen version.
  var isSafe: Bool { guardsCreations && tagForm != nil }

  /// The tag as the header `If-Match` has it.
  func condition(_ condition: Condition) -> TagCondition {
    switch condition {
    case .absent: .absent
    case .unchanged(let revision): .tag(header(ObjectFacts.tag(in: revision)))
    }
  }

  func header(_ tag: String) -> String { tagForm == .bare ? tag : "\"\(tag)\"" }

  func capabilities(_ bucket: Bucket, parallelism: Int) -> Capabilities {
    Capabilities(
      replacement: isSafe ? .conditional : .unsafe, isRaceFree: isSafe, naming: bucket.naming,
      parallelism: parallelism, commitLimit: CommitLimit(count: 1_024, bytes: 32 << 20),
      uploadCheck: checksBodies ? .confirmed : .sampled)
  }
}

/// Traits with the time and the server of the probe, as the journal stores them.
struct ProbeRecord: Hashable, Sendable {
  var traits: Traits
  var time: Timestamp
  /// The server's name, its host and the bucket.
  var server: String

  private static let version = "2"
  private static let validity: Int64 = 7 * 86_400

  init(_ traits: Traits, _ service: Service) {
    self.traits = traits
    time = service.runtime.now()
    server = Self.name(of: service)
  }

  /// True if the probe is recent and was of the server that answers now.
  func isValid(for service: Service) -> Bool {
    let age = service.runtime.now().seconds - time.seconds
    return (0..<Self.validity).contains(age) && (service.product == nil || server == Self.name(of: service))
  }

  private static func name(of service: Service) -> String {
    "\(service.product ?? "") \(service.bucket.host(in: service.region)) \(service.bucket.name)".filter {
      !$0.isNewline
    }
  }

  var bytes: [UInt8] {
    Array(
      [
        Self.version, "\(time.seconds)", server, "\(traits.guardsCreations)", traits.tagForm?.rawValue ?? "",
        traits.removal.rawValue, "\(traits.copies)", "\(traits.checksBodies)",
        traits.keepsVersions.map { "\($0)" } ?? "",
        traits.failure.filter { !$0.isNewline },
      ].joined(separator: "\n").utf8)
  }

  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 10, lines[0] == Self.version, let seconds = Int64(lines[1]),
      let removal = Traits.Removal(rawValue: lines[5])
    else { return nil }
    (time, server) = (Timestamp(seconds: seconds), lines[2])
    traits = Traits(
      guardsCreations: lines[3] == "true", tagForm: Traits.TagForm(rawValue: lines[4]), removal: removal,
      copies: lines[6] == "true", checksBodies: lines[7] == "true", keepsVersions: Bool(lines[8]), failure: lines[9])
  }
}
