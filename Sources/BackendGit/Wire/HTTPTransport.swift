internal import CurlHTTP
import Dispatch
internal import GitObjects
internal import Programs
internal import SyncKit
import Synchronization

/// git's smart HTTP (gitprotocol-http(5)) on syncd's own HTTP client, with its certificates, proxies and limits.
final class HTTPTransport: Transport {
  private let url: String
  private let configuration: HTTPClient.Configuration
  private let helper: CredentialHelper?
  private let state: Mutex<State>

  private struct State: Sendable {
    var client: HTTPClient
    /// The credentials from the user's helpers that the client uses; nil without any.
    var found: CredentialHelper.Found?
  }

  /// - Parameter helper: supplies a password if the server requires one; nil if it is in the settings.
  init(_ url: String, _ configuration: HTTPClient.Configuration, _ helper: CredentialHelper?) {
    self.url = url
    self.configuration = configuration
    self.helper = helper
    state = Mutex(State(client: HTTPClient(configuration)))
  }

  var isStateless: Bool { true }

  var summary: String { "by HTTP" }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    HTTPChannel(self, service, asksWhatThereIs: asksWhatThereIs, stop)
  }

  /// Sends a message, or the initial request if there is none, and returns the answer once its head has arrived.
  fileprivate func send(_ service: Service, _ message: Spool?, _ stop: Stop) throws(SyncError) -> HTTPResponse {
    let response = try send(request(service, message), stop)
    guard response.status == 401, try learnPassword(stop) else { return try checked(response, service, message) }
    return try checked(try send(request(service, message), stop), service, message)
  }

  private func request(_ service: Service, _ message: Spool?) -> HTTPRequest {
    let name = "git-\(service.rawValue)"
    guard let message else {
      return HTTPRequest("GET", "\(url)/info/refs?service=\(name)", answerLimit: .max, mayBeRepeated: true)
    }
    let headers = [
      HTTPHeader("Content-Type", "application/x-\(name)-request"), HTTPHeader("Accept", "application/x-\(name)-result"),
    ]
    return HTTPRequest(
      "POST", "\(url)/\(name)", headers: headers, body: message, answerLimit: .max, mayBeRepeated: service == .fetch)
  }

  private func send(_ request: HTTPRequest, _ stop: Stop) throws(SyncError) -> HTTPResponse {
    let client = state.withLock { $0.client }
    return try wait(stop) { try await client.send(request) }
  }

  /// Asks the user's helpers; returns true if they have other credentials than those that the server has refused.
  ///
  /// The refused ones are rejected only if the helpers still have them: before git 2.42, helpers also forget other passwords then,
  /// such as the one that the user has just stored.
  private func learnPassword(_ stop: Stop) throws(SyncError) -> Bool {
    guard let helper, let fresh = try helper.fill(stop) else { return false }
    let refused = state.withLock { $0.found }
    guard fresh != refused else {
      try helper.reject(fresh, stop)
      return false
    }
    var configuration = configuration
    configuration.credentials = .basic(user: fresh.user, password: fresh.password)
    state.withLock { state in
      state.found = fresh
      state.client = HTTPClient(configuration)
    }
    return true
  }

  private func checked(
    _ response: HTTPResponse, _ service: Service, _ message: Spool?
  ) throws(SyncError) -> HTTPResponse {
    switch response.status {
    case 200: break
    case 401, 403:
      throw SyncError(
        .unauthorized,
        "\(url) refused the login (HTTP \(response.status)); "
          + (helper == nil
            ? "check `user` and `password` in the remote's [git] table"
            : "store another password with git's credential helper (git credential approve), or set `password` in the remote's [git] table")
      )
    case 404, 410:
      throw SyncError(
        .wrongReplica,
        "no git repository at \(url), or no permission to read it; nothing was changed. Check `url` and the login")
    case 407:
      throw SyncError(.unauthorized, "the proxy for \(url) requires a password; add it to the address in `proxy`")
    default: throw SyncError(.unavailable, "\(url) answered HTTP \(response.status); syncd tries again later")
    }
    let kind = "application/x-git-\(service.rawValue)-\(message == nil ? "advertisement" : "result")"
    guard response.header("Content-Type")?.lowercased().hasPrefix(kind) == true else {
      throw SyncError(
        .unavailable, "\(url) is not a git server: it answered with a sign-in page or a plain file")
    }
    return response
  }

  /// Blocks this thread until `work` has finished in a task, or `stop` cancels it.
  fileprivate func wait<Value: Sendable>(
    _ stop: Stop, _ work: @escaping @Sendable () async throws -> Value
  ) throws(SyncError) -> Value {
    let (box, done) = (Box<Value>(), DispatchSemaphore(value: 0))
    let task = Task.detached {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      box.value.withLock { $0 = outcome }
      done.signal()
    }
    while done.wait(timeout: .now() + 0.1) == .timedOut { if stop.isAsked { task.cancel() } }
    try stop.check()
    switch box.value.withLock({ $0 }) {
    case .success(let value)?: return value
    case .failure(let error)?: throw problem(error)
    case nil: throw SyncError(.unexpected, "lost a response of \(url)")
    }
  }

  private func problem(_ error: any Error) -> SyncError {
    guard let error = error as? HTTPError else {
      return error as? SyncError ?? SyncError(.unexpected, "\(url): \(error)")
    }
    return switch error.kind {
    case .untrusted:
      SyncError(
        .unavailable,
        "the certificate of \(url) is not trusted: \(error.message); set `ca-file` if the server uses a private CA")
    case .cancelled: SyncError(.cancelled, error.message)
    case .refused: SyncError(.invalidSettings, "\(url): \(error.message); set `plain-http = true` to allow it")
    case .redirected(let target):
      SyncError(.invalidSettings, "\(url) redirects to \(target); set `url` to that address")
    default: SyncError(.unavailable, "\(url): \(error.message)")
    }
  }
}

/// Passes a result from one thread to another.
private final class Box<Value: Sendable>: Sendable {
  let value = Mutex<Result<Value, any Error>?>(nil)
}

/// One request and its answer.
private final class HTTPChannel: Channel {
  private let transport: HTTPTransport
  private let service: Service
  private let stop: Stop
  private let message: Spool?
  private var response: HTTPResponse?
  private var rest: ArraySlice<UInt8> = []

  init(_ transport: HTTPTransport, _ service: Service, asksWhatThereIs: Bool, _ stop: Stop) {
    self.transport = transport
    self.service = service
    self.stop = stop
    message = asksWhatThereIs ? nil : Spool()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) { try unsafe message?.append(bytes) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    let response = try answer()
    while rest.isEmpty {
      guard let chunk = try transport.wait(stop, { try await response.next() }) else { return 0 }
      rest = chunk[...]
    }
    let part = rest.prefix(buffer.count)
    unsafe buffer.copyBytes(from: part)
    rest = rest.dropFirst(part.count)
    return part.count
  }

  private func answer() throws(SyncError) -> HTTPResponse {
    if let response { return response }
    let fresh = try transport.send(service, message, stop)
    response = fresh
    return fresh
  }

  func close(isComplete: Bool) { response = nil }
}
