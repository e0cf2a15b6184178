internal import CCurl

/// One request as a libcurl easy handle.
@safe final class EasyHandle {
  let handle: UnsafeMutableRawPointer
  let transfer: Transfer
  private var headers: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>
  /// True if libcurl has read bytes of the body; the request cannot be restarted after that.
  private var bodyHasBegun = false

  /// The body size from which the request asks first whether the server accepts it (100-continue). For a smaller body that
  /// costs more than it saves, and a server that never answers costs a second each time.
  private static let sizeWorthAsking = 1 << 20
  /// Apache closes connections that were idle for 5 seconds, lighttpd after 6; older ones are not reused.
  private static let longestIdle = 4
  /// The minimum rate in bytes per second. A request that is slower for the stall timeout fails. The worst mobile networks
  /// reach ten times as much.
  private static let slowestRate = 100

  init?(_ transfer: Transfer, offersHTTP2: Bool) {
    guard let handle = unsafe curl_easy_init() else { return nil }
    unsafe self.handle = unsafe handle
    self.transfer = transfer
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    set(CURLOPT_HTTP_VERSION, Int(offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    guard configure() else { return nil }
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe curl_slist_free_all(headers)
    unsafe errorText.deallocate()
  }

  // MARK: Options

  private func configure() -> Bool {
    setConnection()
    setTrust()
    setCredentials()
    setCallbacks()
    return setRequest()
  }

  private func setRequest() -> Bool {
    let request = transfer.request
    guard set(CURLOPT_URL, request.url), set(CURLOPT_CUSTOMREQUEST, request.method) else { return false }
    if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
    if let body = request.body {
      set(CURLOPT_UPLOAD, 1)
      unsafe curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.size))
    }
    // libcurl would repeat the request on a reused connection that turns out to be closed (measured for FIN and RST).
    let mustNotBeRepeated = request.body == nil && !request.onlyAsks && !request.mayBeRepeated
    if mustNotBeRepeated || request.needsFreshConnection { set(CURLOPT_FRESH_CONNECT, 1) }
    return setHeaders(of: request)
  }

  private func setHeaders(of request: HTTPRequest) -> Bool {
    var lines = request.headers.map { "\($0.name): \($0.value)" }
    if (request.body?.size ?? 0) < Self.sizeWorthAsking { lines.append("Expect:") }
    for line in lines {
      guard !line.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return false }
      guard let longer = unsafe curl_slist_append(headers, line) else { return false }
      unsafe headers = unsafe longer
    }
    return unsafe curl_set_list(handle, CURLOPT_HTTPHEADER, headers) == CURLE_OK
  }

  private func setConnection() {
    let configuration = transfer.configuration
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NOSIGNAL, 1)
    // libcurl would otherwise remove `..` from the path.
    set(CURLOPT_PATH_AS_IS, 1)
    // Only TLS negotiates before the first answer whether a connection can be shared; without it all requests would wait for
    // that.
    if transfer.request.url.hasPrefix("https:") { set(CURLOPT_PIPEWAIT, 1) }
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_MAXAGE_CONN, Self.longestIdle)
    set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
    set(CURLOPT_LOW_SPEED_LIMIT, Self.slowestRate)
    set(CURLOPT_LOW_SPEED_TIME, max(1, configuration.stallTimeout.milliseconds / 1_000))
    if let timeout = transfer.request.timeout { set(CURLOPT_TIMEOUT_MS, timeout.milliseconds) }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_USERAGENT, configuration.userAgent)
    switch configuration.proxy {
    case .environment: break
    case .none: set(CURLOPT_PROXY, "")
    case .url(let url): set(CURLOPT_PROXY, url)
    }
  }

  private func setTrust() {
    let configuration = transfer.configuration
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = configuration.caFile { set(CURLOPT_CAINFO, file) }
    guard let certificate = configuration.clientCertificate else { return }
    set(CURLOPT_SSLCERT, certificate.file)
    set(CURLOPT_SSLKEY, certificate.keyFile ?? certificate.file)
    if let password = certificate.keyPassword { set(CURLOPT_KEYPASSWD, password) }
  }

  private func setCredentials() {
    set(CURLOPT_UNRESTRICTED_AUTH, 0)
    switch transfer.configuration.credentials {
    case nil: break
    case .basic(let user, let password): setUser(user, password, scheme: Scheme.basic)
    case .digest(let user, let password): setUser(user, password, scheme: Scheme.digest)
    case .netrc:
      set(CURLOPT_NETRC, Int(CURL_NETRC_REQUIRED.rawValue))
      set(CURLOPT_HTTPAUTH, Scheme.basic)
    }
  }

  /// The values of `CURLAUTH_BASIC` and `CURLAUTH_DIGEST`, which are macros with a cast.
  private enum Scheme {
    static let basic = 1
    static let digest = 2
  }

  private func setUser(_ user: String, _ password: String, scheme: Int) {
    set(CURLOPT_HTTPAUTH, scheme)
    set(CURLOPT_USERNAME, user)
    set(CURLOPT_PASSWORD, password)
  }

  @discardableResult
  private func set(_ option: CURLoption, _ value: Int) -> Bool {
    unsafe curl_set_number(handle, option, value) == CURLE_OK
  }

  @discardableResult
  private func set(_ option: CURLoption, _ value: String) -> Bool {
    unsafe curl_set_text(handle, option, value) == CURLE_OK
  }

  // MARK: Callbacks

  private func setCallbacks() {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
    unsafe curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    unsafe curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
    unsafe curl_set_pointer(handle, CURLOPT_READDATA, context)
    unsafe curl_set_pointer(handle, CURLOPT_SEEKDATA, context)
    unsafe curl_set_bytes_function(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      let easy = unsafe EasyHandle.at(context)
      return easy.code(of: easy.transfer.receive(unsafe EasyHandle.array(bytes, size * count)))
    }
    unsafe curl_set_bytes_function(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      let easy = unsafe EasyHandle.at(context)
      return easy.code(of: easy.transfer.receive(line: unsafe EasyHandle.array(bytes, size * count)))
    }
    unsafe curl_set_bytes_function(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
      let easy = unsafe EasyHandle.at(context)
      return unsafe easy.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }
    unsafe curl_set_seek_function(handle) { context, _, _ in
      // A restart would send the body twice, unless nothing was read yet.
      unsafe EasyHandle.at(context).bodyHasBegun ? CInt(CURL_SEEKFUNC_FAIL) : CInt(CURL_SEEKFUNC_OK)
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> EasyHandle {
    guard let context = unsafe context else { preconditionFailure("libcurl has lost the context of a request") }
    return unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  }

  private static func array(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let answer = unsafe transfer.fillUpload(buffer)
    if case .bytes(1...) = answer { bodyHasBegun = true }
    return code(of: answer)
  }

  /// The return value for libcurl; the codes are the same for reading and writing.
  private func code(of answer: Transfer.Answer) -> Int {
    switch answer {
    case .bytes(let count): count
    case .pause: Int(CURL_WRITEFUNC_PAUSE)
    case .abort: -1
    }
  }

  // MARK: The end

  /// The result of the transfer, from libcurl's code.
  func result(of code: CURLcode) -> Result<Void, HTTPError> {
    guard code != CURLE_OK else { return .success(()) }
    if transfer.isTooLarge {
      return .failure(
        HTTPError(.tooLarge, "the response is larger than the limit of \(transfer.request.answerLimit) B"))
    }
    let hasDetails = unsafe errorText.pointee != 0
    let text = unsafe String(cString: hasDetails ? UnsafePointer(errorText) : curl_easy_strerror(code))
    return .failure(HTTPError(Self.kind(of: code), text))
  }

  private static func kind(of code: CURLcode) -> HTTPError.Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR:
      .unreachable
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      .untrusted
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: .refused
    default: .broken
    }
  }
}

extension Duration {
  /// Whole milliseconds.
  fileprivate var milliseconds: Int {
    Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
