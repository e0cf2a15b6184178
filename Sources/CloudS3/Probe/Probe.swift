internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// Probes the behaviour of a server with small objects that no other client knows, and removes them.
///
/// It learns from what is stored afterwards, never from the duration of anything: an answer alone proves nothing, because a
/// server that ignores a condition answers like one that keeps it.
struct Probe: Sendable {
  let service: Service
  /// The beginning of the keys of this probe's objects.
  let place: [UInt8]

  /// A reason why the server cannot be used safely.
  struct Shortcoming: Error { var reason: String }

  static func run(on service: Service) async throws(SyncError) -> Traits {
    let name = ".syncd-check-\(service.runtime.uniqueName()).tmp/"
    let probe = Probe(service: service, place: service.bucket.prefix + Array(name.utf8))
    let result: Result<Traits, SyncError>
    do throws(SyncError) { result = .success(try await probe.traits()) } catch { result = .failure(error) }
    // Cancelling the pass must not leave objects behind.
    await Task { await probe.tidy() }.value
    return try result.get()
  }

  private func traits() async throws(SyncError) -> Traits {
    // The first request corrects the region and the clock, and a missing bucket is not a failed condition.
    _ = try await service.page(prefix: place, limit: 1, token: nil)
    var traits = Traits()
    traits.keepsVersions = try await keepsVersions()
    do {
      try await proveCreations()
      traits.guardsCreations = true
      traits.tagForm = try await provenTagForm()
      try await proveNames()
      try await proveRaces(traits)
      traits.removal = try await removal(traits)
      traits.copies = try await copies(traits)
      traits.checksBodies = try await checksBodies()
    } catch let shortcoming as Shortcoming {
      traits.failure = shortcoming.reason
      // Whatever was proved before does not count.
      (traits.guardsCreations, traits.tagForm) = (false, nil)
    } catch let error as SyncError {
      throw error
    } catch {
      throw SyncError(.unexpected, "the probe of \(service.bucket.address) failed: \(error)")
    }
    return traits
  }

  // MARK: Requests

  func key(_ name: String) -> [UInt8] { place + Array(name.utf8) }

  /// Stores a text, and returns the answer. Throws if the server was not able to answer: that proves nothing.
  func put(_ text: String, at name: String, if condition: TagCondition?) async throws(SyncError) -> Answer {
    for attempt in 1... {
      let outcome = try await service.change(.put(Content(Array(text.utf8)), at: key(name), if: condition))
      switch outcome {
      case .answered(let answer) where !(answer.isTemporary && attempt < 4): return try await conclusive(answer, "PUT")
      case .answered, .lost: try await service.pauseRandomly(upTo: .milliseconds(100 << attempt))
      case .notSent(let error): throw error
      }
      guard attempt < 4 else { break }
    }
    throw SyncError(.unavailable, "\(service.bucket.address) did not answer a probe; syncd tries again later")
  }

  /// Returns the answer if it tells something about the server's conditions, and throws otherwise.
  private func conclusive(_ answer: Answer, _ method: String) async throws(SyncError) -> Answer {
    guard !answer.isGood, ![404, 409, 412, 501].contains(answer.status) else { return answer }
    throw await service.syncError(answer, method)
  }

  /// Stores a new text, which must succeed; returns its tag.
  @discardableResult
  func create(_ text: String, at name: String) async throws -> String {
    let answer = try await put(text, at: name, if: .absent)
    // The answer to a first attempt may have been lost.
    guard let found = try await self.text(of: name), found.text == text else {
      throw Shortcoming(reason: Self.reason(answer, "If-None-Match"))
    }
    return found.tag
  }

  /// The text of an object and its tag; nil if there is none.
  func text(of name: String) async throws(SyncError) -> (text: String, tag: String)? {
    guard case .found(let tag, let body) = try await service.small(key(name), limit: 1 << 16) else { return nil }
    return (String(decoding: body, as: UTF8.self), tag)
  }

  static func reason(_ answer: Answer, _ condition: String) -> String {
    answer.status == 501
      ? "it does not support `\(condition)` on an upload (HTTP 501)"
      : "it does not keep `\(condition)` on an upload (HTTP \(answer.status))"
  }

  /// The root of the answer about versions; the second one is moto's.
  private static let versioningRoots: Set<String> = ["VersioningConfiguration", "GetBucketVersioningResponse"]

  private func keepsVersions() async throws(SyncError) -> Bool? {
    var call = Call("GET")
    call.query = [("versioning", [])]
    let answer = try await service.answer(to: call)
    guard answer.isGood, let document = Document(answer.body), Self.versioningRoots.contains(document.root) else {
      return nil
    }
    return document.text("Status") == "Enabled"
  }

  /// Removes all objects of the probe. An error leaves objects that no store lists; the next probe uses other names.
  private func tidy() async {
    guard let page = try? await service.page(prefix: place, token: nil) else { return }
    for object in page.objects { _ = try? await service.change(Call("DELETE", key: object.key)) }
  }
}
