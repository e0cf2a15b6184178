import OrgKit
import SyncKit

/// The patches that a device sends at once, under the next number of its client.
struct Batch: Sendable, Hashable {
  /// The identifier that a client, such as one browser profile, made for itself.
  var client: String
  /// The number among the batches of the client, from 1 without gaps.
  var number: Int
  /// The patches in order.
  var patches: [Patch]
  /// The digest of the request: the same number with another digest is another batch.
  var digest: Digest

  /// The start of the client of a batch that no client numbers. No client can have it, because of the slash.
  static let unnumbered = "once/"

  /// The most patches in a batch.
  static let limit = 500

  /// Reads a batch; throws a problem that names all errors.
  ///
  /// - Parameter now: the wall time as of which typed dates are read.
  init(_ body: [UInt8], at now: OrgMoment) throws(Problem) {
    let document = try ParsedJSON.read(body)
    digest = Digest(of: Array(document.line.utf8))
    var reader = MemberReader(document, at: "")
    client = reader.text("client", isRequired: true, limit: 64) ?? ""
    if client.utf8.count < 8 || !client.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) {
      reader.mistake("client", "Expected 8 to 64 letters, digits and hyphens.")
    }
    number = reader.number("number", isRequired: true) ?? 0
    if number < 1 { reader.mistake("number", "Batches are numbered from 1.") }
    _ = reader.number("seen")
    let elements = reader.array("patches", isRequired: true)
    if !(1...Self.limit).contains(elements.count) { reader.mistake("patches", "Expected 1 to \(Self.limit) patches.") }
    reader.refuseOthers()
    var mistakes = reader.mistakes
    patches = elements.prefix(Self.limit).enumerated().map { Patch($1, at: "/patches/\($0)", now, &mistakes) }
    guard mistakes.isEmpty else { throw Problem.invalid(mistakes) }
  }

  /// A batch of one patch that no client numbers, and that is not repeated.
  init(once patch: Patch) {
    (client, number, patches) = (Self.unnumbered + SecretToken.new(), 1, [patch])
    digest = Digest(of: Array(client.utf8))
  }
}
