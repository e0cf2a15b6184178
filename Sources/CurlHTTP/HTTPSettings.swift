/// How a client talks to one server.
public struct HTTPSettings: Sendable {
  /// Who we are there; nil for a server that does not ask.
  public var credentials: HTTPCredentials?
  /// A file with the certificates of authorities to trust besides, in PEM; nil for those of the system.
  public var caFile: String?
  public var clientCertificate: ClientCertificate?
  public var proxy = Proxy.environment
  /// Whether `http` is spoken at all, to hosts other than this machine.
  public var allowsPlainHTTP = false
  /// How many requests may be under way at once.
  public var connections = 16
  /// How long setting up a connection may take.
  public var connectTimeout = Duration.seconds(15)
  /// How long nothing may move before a transfer is given up.
  public var stallTimeout = Duration.seconds(60)
  /// What the client calls itself.
  public var userAgent: String

  public init(userAgent: String) { self.userAgent = userAgent }

  /// The way to the server.
  public enum Proxy: Hashable, Sendable {
    /// What the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    case none
    case url(String)
  }

  /// A certificate that says who we are, and its key, as files in PEM.
  public struct ClientCertificate: Sendable {
    public var file: String
    /// Where the key is; nil if it is in the same file.
    public var keyFile: String?
    public var keyPassword: String?

    public init(file: String, keyFile: String? = nil, keyPassword: String? = nil) {
      self.file = file
      self.keyFile = keyFile
      self.keyPassword = keyPassword
    }
  }
}

/// A way to say who we are. Sent to the origin of the request and to no other: redirects to another one are not followed.
public enum HTTPCredentials: Sendable {
  /// Sent with every request.
  case basic(user: String, password: String)
  /// The server's challenge is answered; the password itself is never sent. Costs one exchange more for each request.
  case digest(user: String, password: String)
  /// What the file `.netrc` has for the host, as Basic.
  case netrc
}

extension HTTPCredentials: CustomStringConvertible, CustomReflectable {
  public var description: String { "<secret>" }

  /// Shows nothing, so that no dump shows a secret.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
