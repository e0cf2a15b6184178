internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Probe {
  /// Returns true if a file can be moved by a copy: the copy has the content and the metadata of the expected version, and none
  /// is made of another version, or over another object. A server without that is used without copies.
  func copies(_ traits: Traits) async throws -> Bool {
    let digest = Digest(of: Array("copied\n".utf8))
    var original = Call.put(Content(Array("copied\n".utf8)), at: key("copy source.org"), if: .absent)
    original.headers.append(HTTPHeader(Header.digest, digest.description))
    _ = try await service.change(original)
    guard let source = try await text(of: "copy source.org"), source.text == "copied\n" else { return false }
    let tag = traits.header(source.tag)
    try await create("taken\n", at: "copy taken.org")
    _ = try await copy("copy source.org", traits.header(Self.wrongTag), to: "copy wrong.org")
    _ = try await copy("copy source.org", tag, to: "copy taken.org")
    guard try await text(of: "copy wrong.org") == nil, try await text(of: "copy taken.org")?.text == "taken\n" else {
      return false
    }
    guard case .answered(let answer) = try await copy("copy source.org", tag, to: "copy.org"),
      let copy = try await service.head(key("copy.org"), nil), answer.copyTag == copy.facts.tag,
      copy.facts.digest == digest, try await text(of: "copy.org")?.text == "copied\n"
    else { return false }
    return try await copiesAtOnce(traits)
  }

  /// Returns true if of several copies and uploads to one free name one is made, and stored.
  private func copiesAtOnce(_ traits: Traits) async throws -> Bool {
    let texts = (0..<2).map { "copier \($0)\n" }
    let written = (0..<2).map { "writer \($0)\n" }
    var tags: [String] = []
    for text in texts { tags.append(traits.header(try await create(text, at: "copy of \(text.dropLast()).org"))) }
    for round in 0..<3 {
      let name = "copy race \(round).org"
      let calls =
        zip(texts, tags).map { copyCall("copy of \($0.dropLast()).org", $1, to: name) }
        + written.map { Call.put(Content(Array($0.utf8)), at: key(name), if: .absent) }
      let outcomes = try await mapConcurrently(calls, atMost: calls.count) { call throws(SyncError) in
        try await service.change(call)
      }
      let winners = zip(texts + written, outcomes).filter(\.1.isMade).map(\.0)
      let found = try await text(of: name)?.text
      guard winners.count <= 1, winners.isEmpty || winners.first == found else { return false }
    }
    return true
  }

  private func copy(_ source: String, _ tag: String, to target: String) async throws(SyncError) -> Outcome {
    try await service.change(copyCall(source, tag, to: target))
  }

  private func copyCall(_ source: String, _ tag: String, to target: String) -> Call {
    var call = Call.put(Content([]), at: key(target), if: .absent)
    call.headers += service.copyHeaders(from: key(source), if: tag)
    return call
  }
}

extension Outcome {
  /// True if an upload was stored, or a copy was made: the answer to a copy may report an error after its status.
  fileprivate var isMade: Bool {
    guard case .answered(let answer) = self, answer.isGood else { return false }
    return answer.body.isEmpty || answer.copyTag != nil
  }
}
