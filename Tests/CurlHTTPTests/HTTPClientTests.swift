import CurlHTTP
import Foundation
import Synchronization
import Testing

@Suite("The HTTP client")
struct HTTPClientTests {
  let server: BadServer
  let client: HTTPClient

  init() async throws {
    server = try await BadServer()
    client = HTTPClient(Self.settings)
  }

  private static var settings: HTTPClient.Configuration {
    var settings = HTTPClient.Configuration(userAgent: "tests")
    settings.proxy = .none
    // On a busy machine, a server may be stopped for long.
    (settings.connectTimeout, settings.stallTimeout) = (.seconds(120), .seconds(120))
    return settings
  }

  @Test("a request body is sent and a response body is returned", arguments: [0, 1, 100_000, 3_000_000])
  func echo(size: Int) async throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let request = HTTPRequest("PUT", server.url + "/echo", body: HTTPBytes(body), answerLimit: 4_000_000)
    let response = try await client.send(request)
    #expect(response.status == 200)
    #expect(response.header("x-method") == "PUT")
    #expect(try await response.bytes() == body)
  }

  @Test("a request body is streamed, and its source waits for the network")
  func streaming() async throws {
    let body = CountedBody(chunks: 200, size: 65_536)
    let response = try await client.send(
      HTTPRequest("PUT", server.url + "/echo", body: body, answerLimit: 1 << 30))
    var size = 0
    while let chunk = try await response.next() { size += chunk.count }
    #expect(size == body.size)
  }

  @Test("the server waits until the caller reads the response")
  func backPressure() async throws {
    let response = try await client.send(HTTPRequest("GET", server.url + "/slow/20480000", answerLimit: 1 << 30))
    var size = 0
    while let chunk = try await response.next() {
      // The buffer in memory is bounded, so the first bytes can be read long before the last ones have arrived.
      if size < 1_000_000 { await Task.yield() }
      size += chunk.count
    }
    #expect(size == 20_480_000)
  }

  @Test("a response that is too long or endless is aborted", arguments: ["/bytes/3000000", "/endless-body"])
  func tooLarge(path: String) async throws {
    let error = await failure { () in
      try await client.send(HTTPRequest("GET", server.url + path, answerLimit: 1 << 20)).bytes()
    }
    guard case .tooLarge? = error?.kind else { throw Unexpected("\(String(describing: error))") }
  }

  @Test("an endless header is aborted")
  func endlessHead() async throws {
    let error = await failure { try await client.send(HTTPRequest("GET", server.url + "/endless-head")).bytes() }
    guard case .broken? = error?.kind else { throw Unexpected("\(String(describing: error))") }
  }

  @Test("a body that is shorter than announced is an error")
  func short() async throws {
    let error = await failure { try await client.send(HTTPRequest("GET", server.url + "/short")).bytes() }
    guard case .broken? = error?.kind else { throw Unexpected("\(String(describing: error))") }
  }

  @Test("a server that is silent or sends a byte now and then times out", arguments: ["/silent", "/drip"])
  func silence(path: String) async throws {
    var settings = Self.settings
    settings.stallTimeout = .seconds(1)
    let impatient = HTTPClient(settings)
    let error = await failure { try await impatient.send(HTTPRequest("GET", server.url + path)).bytes() }
    guard case .timedOut? = error?.kind else { throw Unexpected("\(String(describing: error))") }
  }

  @Test("a refused connection is reported")
  func unreachable() async throws {
    let error = await failure { try await client.send(HTTPRequest("GET", "http://127.0.0.1:1/")) }
    guard case .unreachable? = error?.kind else { throw Unexpected("\(String(describing: error))") }
  }

  @Test("redirects on the same server are followed, for reads only")
  func redirects() async throws {
    #expect(try await client.send(HTTPRequest("GET", server.url + "/redirect/echo")).status == 200)
    for (method, path) in [
      ("PUT", "/redirect/echo"), ("GET", "/elsewhere"), ("GET", "/circle"), ("DELETE", "/redirect/echo"),
    ] {
      let error = await failure { try await client.send(HTTPRequest(method, server.url + path)) }
      guard case .redirected? = error?.kind else { throw Unexpected("\(method) \(path): \(String(describing: error))") }
    }
    #expect(try await counts()["echo"] == 1)
  }

  @Test("cancelling the task ends a request")
  func cancellation() async throws {
    let task = Task { try await client.send(HTTPRequest("GET", server.url + "/silent")) }
    try await Task.sleep(for: .milliseconds(200))
    task.cancel()
    let error = await failure { try await task.value }
    guard case .cancelled? = error?.kind else { throw Unexpected("\(String(describing: error))") }
  }

  @Test("a task that is cancelled while it waits for the first bytes sends nothing")
  func cancellationBeforeStart() async throws {
    let (begun, signal) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await client.send(HTTPRequest("PUT", server.url + "/echo", body: LateBody(begun: signal)))
    }
    for await _ in begun {}
    task.cancel()
    let error = await failure { try await task.value }
    guard case .cancelled? = error?.kind else { throw Unexpected("\(String(describing: error))") }
    try await Task.sleep(for: .milliseconds(200))
    #expect(try await counts()["echo"] == nil)
  }

  @Test("a failing body source is reported, and an early response is returned")
  func brokenBodies() async throws {
    let broken = CountedBody(chunks: 100, size: 65_536, failsAt: 50)
    let error = await failure { try await client.send(HTTPRequest("PUT", server.url + "/echo", body: broken)) }
    guard case .body(let cause)? = error?.kind, cause is Unexpected else {
      throw Unexpected("\(String(describing: error))")
    }
    let refused = CountedBody(chunks: 100, size: 65_536)
    #expect(try await client.send(HTTPRequest("PUT", server.url + "/refuse", body: refused)).status == 413)
  }

  @Test("a request that changes something is never sent twice", arguments: ["PUT", "DELETE", "MOVE", "LOCK"])
  func noResend(method: String) async throws {
    for _ in 0..<3 {
      // The next request on this connection is swallowed, and the connection closed.
      _ = try await client.send(HTTPRequest("GET", server.url + "/trap")).bytes()
      let body: HTTPBytes? = ["PUT", "LOCK"].contains(method) ? HTTPBytes("text") : nil
      _ = await failure { try await client.send(HTTPRequest(method, server.url + "/echo", body: body)).bytes() }
    }
    let counts = try await counts()
    let seen = (counts["echo"] ?? 0) + (counts["trapped \(method)"] ?? 0)
    #expect(seen <= 3, "three requests were sent \(seen) times: \(counts)")
  }

  @Test(
    "other protocols, and plain http to other hosts, are refused",
    arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "http://192.0.2.1/", "gopher://127.0.0.1/"])
  func protocols(url: String) async throws {
    let error = await failure { try await client.send(HTTPRequest("GET", url)) }
    guard case .refused? = error?.kind else { throw Unexpected("\(url): \(String(describing: error))") }
  }

  @Test("credentials are sent, and not shown anywhere else")
  func credentials() async throws {
    var settings = Self.settings
    settings.credentials = .basic(user: "ann", password: "p\u{E4}ss: w")
    #expect(try await HTTPClient(settings).send(HTTPRequest("GET", server.url + "/auth")).status == 200)
    #expect(try await client.send(HTTPRequest("GET", server.url + "/auth")).status == 401)
    var text = ""
    dump(settings, to: &text)
    #expect(!text.contains("p\u{E4}ss"))
  }

  @Test("requests run concurrently, up to the limit")
  func concurrency() async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          let response = try await client.send(
            HTTPRequest("PUT", server.url + "/echo", body: HTTPBytes("\(number)")))
          let text = String(decoding: try await response.bytes(), as: UTF8.self)
          #expect(text == "\(number)")
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("requests do not wait for a running upload, not even on the first connection")
  func besideAnUpload() async throws {
    let body = HeldBody()
    async let upload = client.send(HTTPRequest("PUT", server.url + "/echo", body: body))
    await body.isHeld.wait()
    let other = await failure { try await client.send(HTTPRequest("GET", server.url + "/bytes/1")) }
    body.isFreed.send()
    #expect(other == nil)
    #expect(try await upload.status == 200)
  }

  @Test("header values that would form a second line are refused")
  func injection() async throws {
    let request = HTTPRequest("GET", server.url + "/echo", headers: [HTTPHeader("X-A", "b\r\nX-Evil: c")])
    let error = await failure { try await client.send(request) }
    guard case .refused? = error?.kind else { throw Unexpected("\(String(describing: error))") }
  }

  private func counts() async throws -> [String: Int] {
    let response = try await HTTPClient(Self.settings).send(HTTPRequest("GET", server.url + "/count"))
    return try JSONDecoder().decode([String: Int].self, from: Data(try await response.bytes()))
  }

  private func failure<Value>(_ call: () async throws -> Value) async -> HTTPError? {
    do { _ = try await call() } catch { return error as? HTTPError }
    return nil
  }
}

/// A body whose only piece arrives after its task was cancelled.
private struct LateBody: HTTPBody {
  let begun: AsyncStream<Void>.Continuation
  let size = 4

  func reader() -> any HTTPBodyReader { Reader(body: self) }

  private struct Reader: HTTPBodyReader {
    let body: LateBody
    var isDone = false

    mutating func next() async throws -> [UInt8]? {
      guard !isDone else { return nil }
      isDone = true
      body.begun.finish()
      while !Task.isCancelled { await Task.yield() }
      return [1, 2, 3, 4]
    }
  }
}

/// A body of many pieces, which may fail at one of them.
private struct CountedBody: HTTPBody {
  let chunks: Int
  let chunk: Int
  let failsAt: Int?

  init(chunks: Int, size: Int, failsAt: Int? = nil) {
    (self.chunks, chunk, self.failsAt) = (chunks, size, failsAt)
  }

  var size: Int { chunks * chunk }

  func reader() -> any HTTPBodyReader { Reader(body: self) }

  private struct Reader: HTTPBodyReader {
    let body: CountedBody
    var index = 0

    mutating func next() async throws -> [UInt8]? {
      guard index < body.chunks else { return nil }
      if index == body.failsAt { throw Unexpected("the source has failed") }
      index += 1
      return Array(repeating: UInt8(truncatingIfNeeded: index), count: body.chunk)
    }
  }
}

private struct Unexpected: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// A body that pauses in the middle until it is released.
private struct HeldBody: HTTPBody {
  let size = 2
  let isHeld = Signal()
  let isFreed = Signal()

  func reader() -> any HTTPBodyReader { Reader(body: self) }

  private struct Reader: HTTPBodyReader {
    let body: HeldBody
    var count = 0

    mutating func next() async -> [UInt8]? {
      count += 1
      if count == 2 {
        body.isHeld.send()
        await body.isFreed.wait()
      }
      return count > 2 ? nil : [1]
    }
  }
}

/// An event that happens once.
private struct Signal {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func send() { continuation.finish() }

  func wait() async { for await _ in stream {} }
}
