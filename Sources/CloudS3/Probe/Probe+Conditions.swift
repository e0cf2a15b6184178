internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

extension Probe {
  static let wrongTag = "00000000000000000000000000000000"

  func proveCreations() async throws {
    try await create("first\n", at: "creation.org")
    let answer = try await put("second\n", at: "creation.org", if: .absent)
    guard !answer.isGood, try await text(of: "creation.org")?.text == "first\n" else {
      throw Shortcoming(reason: Self.reason(answer, "If-None-Match"))
    }
  }

  /// Returns the form of a tag that is accepted if it is right and refused if it is wrong.
  func provenTagForm() async throws -> Traits.TagForm {
    var tag = try await create("first\n", at: "replacement.org")
    var last: Answer?
    for form in [Traits.TagForm.quoted, .bare] {
      let traits = Traits(tagForm: form)
      let wrong = try await put("wrong\n", at: "replacement.org", if: .tag(traits.header(Self.wrongTag)))
      guard !wrong.isGood, try await text(of: "replacement.org")?.text == "first\n" else {
        throw Shortcoming(reason: Self.reason(wrong, "If-Match"))
      }
      let right = try await put("\(form)\n", at: "replacement.org", if: .tag(traits.header(tag)))
      let found = try await text(of: "replacement.org")
      if found?.text == "\(form)\n" { return form }
      tag = found?.tag ?? tag
      last = right
    }
    throw Shortcoming(reason: "it refuses the right tag in `If-Match` too (HTTP \(last?.status ?? 0))")
  }

  /// Names must come back with the bytes that were sent, in a listing and by name.
  func proveNames() async throws {
    let names = ["A b.org", "a b.org", "1+1=2%41.org", "e\u{301}.org", "\u{E9}.org", "&<>'\"#?.org"]
    for name in names { try await create("\(name)\n", at: "names/\(name)") }
    let listed = try await service.page(prefix: key("names/"), token: nil).objects.map(\.key)
    guard Set(listed) == Set(names.map { key("names/\($0)") }) else {
      throw Shortcoming(reason: "it alters the names of objects")
    }
  }

  /// Two uploads with one condition: the first one is begun, the other one completed, then the first one. Exactly one may be
  /// done, and what is stored afterwards must be its text. Then four at once, several times.
  func proveRaces(_ traits: Traits) async throws {
    for (name, condition) in try await contested("overtaken", traits) {
      try await requireOneWinner(["early\n", "other\n"], at: name, condition) { results throws(SyncError) in
        try await overtake(name, condition, &results)
      }
    }
    for round in 0..<3 {
      for (name, condition) in try await contested("race \(round)", traits) {
        let texts = (0..<4).map { "writer \($0)\n" }
        try await requireOneWinner(texts, at: name, condition) { results throws(SyncError) in
          let calls = texts.map { Call.put(Content(Array($0.utf8)), at: key(name), if: condition) }
          let outcomes = try await mapConcurrently(calls, atMost: calls.count) { call throws(SyncError) in
            try await service.change(call)
          }
          for (text, outcome) in zip(texts, outcomes) { results[text] = outcome }
        }
      }
    }
  }

  /// A free name and a taken one, each with the condition under which it may be written once.
  private func contested(_ name: String, _ traits: Traits) async throws -> [(name: String, condition: TagCondition)] {
    let tag = try await create("old\n", at: "\(name) taken.org")
    return [("\(name) free.org", .absent), ("\(name) taken.org", .tag(traits.header(tag)))]
  }

  private func overtake(
    _ name: String, _ condition: TagCondition, _ results: inout [String: Outcome]
  ) async throws(SyncError) {
    let body = PausedBody(Array("early\n".utf8))
    var call = Call.put(Content(Array("early\n".utf8)), at: key(name), if: condition)
    call.body = body
    let early = Task { [call] () -> Result<Outcome, SyncError> in
      // A request that ends early, such as a refused one, never reaches the half of its body.
      defer { body.release() }
      do throws(SyncError) { return .success(try await service.change(call)) } catch { return .failure(error) }
    }
    // Without an answer to the other upload the first one must still end.
    let other: Result<Outcome, SyncError>
    do throws(SyncError) {
      await body.untilHalf()
      other = .success(
        try await service.change(.put(Content(Array("other\n".utf8)), at: key(name), if: condition)))
    } catch {
      other = .failure(error)
    }
    body.release()
    results["early\n"] = try await early.value.get()
    results["other\n"] = try other.get()
  }

  private func requireOneWinner(
    _ texts: [String], at name: String, _ condition: TagCondition,
    _ race: (inout [String: Outcome]) async throws(SyncError) -> Void
  ) async throws {
    var results: [String: Outcome] = [:]
    try await race(&results)
    let winners = texts.filter { results[$0]?.isGood == true }
    let found = try await text(of: name)?.text
    guard winners.count <= 1, winners.isEmpty || winners.first == found else {
      let header = condition.header.name
      throw Shortcoming(reason: "it accepts several uploads with one `\(header)`")
    }
  }

  // MARK: Removal

  func removal(_ traits: Traits) async throws -> Traits.Removal {
    let tag = try await create("kept\n", at: "removal.org")
    let wrong = try await delete("removal.org", if: traits.header(Self.wrongTag))
    if !wrong.isGood, try await text(of: "removal.org") != nil {
      _ = try await delete("removal.org", if: traits.header(tag))
      if try await text(of: "removal.org") == nil { return .condition }
    }
    return try await refusesExpiredRemovals() ? .twoSteps : .tombstone
  }

  private func delete(_ name: String, if tag: String) async throws(SyncError) -> Outcome {
    var call = Call("DELETE", key: key(name))
    call.headers = [TagCondition.tag(tag).header]
    return try await service.change(call)
  }

  /// Returns true if a DELETE is refused by the server's clock a minute after it was signed, and a fresh one is carried out.
  private func refusesExpiredRemovals() async throws -> Bool {
    try await create("kept\n", at: "expired.org")
    guard let date = try await service.head(key("expired.org"), nil)?.date else { return false }
    let call = Call("DELETE", key: key("expired.org"))
    let late = Timestamp(seconds: date.seconds - Tombstone.expiry - 6)
    _ = try await service.change(call, signedAt: late, expiringAfter: Int(Tombstone.expiry))
    guard try await text(of: "expired.org") != nil else { return false }
    _ = try await service.change(call, signedAt: date, expiringAfter: Int(Tombstone.expiry))
    return try await text(of: "expired.org") == nil
  }

  // MARK: Uploads

  /// Returns true if an upload is refused whose bytes are not those of its signature.
  func checksBodies() async throws(SyncError) -> Bool {
    var call = Call.put(Content(Array("sent\n".utf8)), at: key("hash.org"), if: .absent)
    call.payload = Digest(of: Array("signed\n".utf8)).description
    guard case .answered(let answer) = try await service.change(call), !answer.isGood else { return false }
    return try await text(of: "hash.org") == nil
  }
}
