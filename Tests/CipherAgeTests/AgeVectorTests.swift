import Foundation
import SyncKit
import Testing

@testable import CipherAge

/// The age project's published test vectors: the folder `age/testdata` of C2SP/CCTV, or the package cctv-age.
/// `SYNCD_AGE_VECTORS` names the folder.
@Suite struct AgeVectorTests {
  @Test func `the published test vectors are accepted and rejected as specified`() throws {
    guard let folder = ProcessInfo.processInfo.environment["SYNCD_AGE_VECTORS"] else {
      return print("*** SKIPPED: SYNCD_AGE_VECTORS names no folder of age's test vectors ***")
    }
    var (accepted, rejected, passedOver) = (0, 0, 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
      guard let vector = try Vector("\(folder)/\(name)") else {
        passedOver += 1
        continue
      }
      let plain = vector.opened()
      if vector.isAccepted {
        #expect(plain.map { Digest(of: $0).description } == vector.payload, "\(name)")
        accepted += 1
      } else {
        #expect(plain == nil, "\(name)")
        rejected += 1
      }
    }
    print("*** age's vectors: \(accepted) accepted, \(rejected) rejected, \(passedOver) about what is not in here ***")
    #expect(accepted > 0 && rejected > 0)
  }
}

/// One file of the vectors: lines of facts, an empty line, and the data.
private struct Vector {
  private var facts: [String: [String]] = [:]
  private var body: [UInt8] = []

  /// Nil if it tests keys or a form that are not implemented: hybrid keys, compressed files.
  init?(_ path: String) throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: path)))
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 10), end > rest.startIndex {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      if let colon = line.range(of: ": ") {
        facts[String(line[..<colon.lowerBound]), default: []].append(String(line[colon.upperBound...]))
      }
      rest = rest[(end + 1)...]
    }
    body = Array(rest.dropFirst())
    let identities = facts["identity"] ?? []
    guard facts["compressed"] == nil, identities.allSatisfy({ Identity($0) != nil }) else { return nil }
  }

  var isAccepted: Bool { facts["expect"] == ["success"] }
  var payload: String? { facts["payload"]?.first }

  /// The content; nil if the file is refused.
  func opened() -> [UInt8]? {
    let keys: [any FileKeyUnwrapping] =
      (facts["identity"] ?? []).compactMap(Identity.init)
      + (facts["passphrase"] ?? []).map { ScryptKey(passphrase: Array($0.utf8)) }
    var opening = Opening(with: keys)
    do { return try opening.update(body) + opening.finish() } catch { return nil }
  }
}
