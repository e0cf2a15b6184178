internal import CurlHTTP
internal import ExpatXML
internal import HTTPStorage
internal import SyncKit

/// The result of a lookup of a path.
enum LookupResult: Sendable {
  case there(Observation)
  case absent
  /// Unknown.
  case unclear(SyncError)
}

extension Server {
  private static let listingLimit = 32 << 20

  /// The requested properties of a file or folder.
  private enum Question: String {
    case facts = "<D:resourcetype/><D:getetag/><D:getcontentlength/><D:getlastmodified/>"
    case factsAndLocks =
      "<D:resourcetype/><D:getetag/><D:getcontentlength/><D:getlastmodified/><D:lockdiscovery/>"
    /// RFC 4331.
    case room = "<D:quota-available-bytes/>"

    var body: HTTPBytes {
      HTTPBytes(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><D:propfind xmlns:D=\"DAV:\"><D:prop>\(rawValue)</D:prop></D:propfind>"
      )
    }
  }

  /// Looks up a file; or a folder if `path` has become one.
  func lookUp(_ path: SyncPath, withLocks: Bool = false) async throws(SyncError) -> LookupResult {
    let (status, found, date) = try await ask(
      withLocks ? .factsAndLocks : .facts, about: address.file(path), depth: 0, path)
    guard let found else { return try await lookUp(status, path) }
    guard let item = found.items.first else { return .unclear(unusable(path)) }
    // xandikos answers 207 with a 404 inside for a missing file.
    if item.isAbsent { return .absent }
    if let failure = item.failure { return .unclear(syncError(failure, "PROPFIND", path)) }
    return .there(Observation(facts: item.facts, date: date))
  }

  private func lookUp(_ status: Int, _ path: SyncPath) async throws(SyncError) -> LookupResult {
    switch status {
    case 404, 410: return .absent
    case 401: throw syncError(status, "PROPFIND", path)
    // Servers report a path below a file in many ways: 400, 403, 405, 409, 500.
    case 400..<600:
      guard let parent = path.parent, case .there(let observation) = try await lookUp(parent), observation.facts.isFile
      else { return .unclear(syncError(status, "PROPFIND", path)) }
      return .absent
    default: return .unclear(syncError(status, "PROPFIND", path))
    }
  }

  /// Returns the children of a folder by name, and the server's time; nil if the folder does not exist.
  func children(of folder: SyncPath?) async throws(SyncError) -> (items: [[UInt8]: Multistatus.Item], date: Timestamp?)?
  {
    let (status, found, date) = try await ask(.facts, about: address.folder(folder), depth: 1, folder)
    guard let found else {
      if status == 404 || status == 410 { return nil }
      throw syncError(status, "PROPFIND", folder)
    }
    if found.items.first?.isAbsent == true, found.items.count == 1 { return nil }
    guard let children = found.children(of: address.root + (folder?.parts.map(Array.init) ?? [])) else {
      throw unusable(folder)
    }
    return (children, date)
  }

  /// Returns the free space below the root in bytes, if the server reports it.
  func room() async throws(SyncError) -> Int? {
    try await ask(.room, about: address.folder(nil), depth: 0, nil).1?.items.first?.facts.room
  }

  /// The number of requests for one listing.
  private static let attempts = 5

  /// Sends a PROPFIND; returns no document if the status is not 207.
  ///
  /// Some servers cannot list a folder while a file in it disappears: wsgidav answers 500, and servers based on
  /// golang.org/x/net/webdav, including rclone, a multistatus that is not well-formed XML. Such a listing is requested again. nginx
  /// and rclone also answer with such XML if they cannot encode a name, so it is an error in the end.
  private func ask(
    _ question: Question, about url: String, depth: Int, _ path: SyncPath?
  ) async throws(SyncError) -> (Int, Multistatus?, Timestamp?) {
    let request = HTTPRequest(
      "PROPFIND", url,
      headers: [HTTPHeader("Depth", "\(depth)"), HTTPHeader("Content-Type", "application/xml; charset=utf-8")],
      body: question.body, answerLimit: Self.listingLimit)
    for attempt in 1...Self.attempts {
      let response = try await ask(request)
      do throws(MultistatusError) {
        let document = try await Self.document(response)
        guard depth > 0, attempt < Self.attempts, Self.internalErrors.contains(response.status) else {
          return (response.status, document, response.header("Date").flatMap(HTTPDate.time))
        }
      } catch {
        switch error {
        case .transfer(let error): throw syncError(error, "PROPFIND")
        case .unusable: throw unusable(path)
        case .malformed: break
        }
      }
      try await pauseRandomly(around: .milliseconds(50 << attempt))
    }
    throw unusable(path)
  }

  private enum MultistatusError: Error {
    case transfer(HTTPError)
    case malformed
    /// Another document, or one that exceeds the limits.
    case unusable
  }

  /// Returns the multistatus of an answer; nil if its status is not 207.
  private static func document(_ response: HTTPResponse) async throws(MultistatusError) -> Multistatus? {
    let content = MultistatusReader()
    let reader = XMLReader(content, namespace: "DAV:")
    do throws(HTTPError) {
      guard response.status == 207 else {
        _ = try await response.bytes()
        return nil
      }
      while let chunk = try await response.next() {
        guard !content.isTooLarge, reader.read(chunk) else { break }
      }
    } catch {
      throw .transfer(error)
    }
    guard !content.isTooLarge else { throw .unusable }
    guard reader.finish() else { throw .malformed }
    guard content.rootName == "multistatus" else { throw .unusable }
    return Multistatus(items: content.items)
  }

  private func unusable(_ folder: SyncPath?) -> SyncError {
    SyncError(
      .unavailable,
      "cannot use the listing of \(folder.map { "\($0) on " } ?? "")\(address.text): it is incomplete or not WebDAV; "
        + "check `url`, and check for files with unusual names")
  }
}
