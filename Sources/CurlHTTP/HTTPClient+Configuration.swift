internal import SettingsRegistry

extension HTTPClient {
  /// How a client connects and who it says it is.
  public struct Configuration: Sendable {
    /// The account; nil for a server without one.
    public var credentials: HTTPCredentials?
    /// A file of additional trusted CA certificates (PEM); nil for those of the system only.
    public var caFile: String?
    /// The certificate that the client shows; nil for none.
    public var clientCertificate: ClientCertificate?
    /// The proxy on the way to the server.
    public var proxy = Proxy.environment
    /// True if `http` may be spoken to hosts other than this machine.
    public var allowsPlainHTTP = false
    /// The maximum number of concurrent requests.
    public var connections = 16
    /// How long it may take to set up a connection.
    public var connectTimeout = Duration.seconds(15)
    /// How long nothing, or less than 100 bytes a second, may move before a request fails with `.timedOut`.
    public var stallTimeout = Duration.seconds(60)
    /// The value of the header `User-Agent`.
    public var userAgent: String

    /// A configuration with these defaults.
    public init(userAgent: String) { self.userAgent = userAgent }

    /// A configuration by the settings of a user.
    public init(userAgent: String, _ settings: HTTPSettings) {
      self.userAgent = userAgent
      caFile = settings.caFile?.path
      proxy = Proxy(settings.proxy)
      allowsPlainHTTP = settings.plainHttp
      stallTimeout = settings.timeout
      connectTimeout = min(connectTimeout, settings.timeout)
    }
  }

  /// The proxy on the way to the server.
  public enum Proxy: Hashable, Sendable {
    /// What the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    /// No proxy.
    case none
    /// The proxy at this address.
    case url(String)

    /// The proxy of a setting: an address, `none`, or nothing for the environment.
    init(_ setting: String) {
      self =
        switch setting {
        case "": .environment
        case "none": .none
        default: .url(setting)
        }
    }
  }

  /// A certificate that authenticates the client, and its key, as files in PEM.
  public struct ClientCertificate: Sendable {
    /// The file of the certificate.
    public var file: String
    /// The file of the key; nil if it is in the same file.
    public var keyFile: String?
    /// The password of the key; nil if it has none.
    public var keyPassword: String?

    /// A certificate in these files.
    public init(file: String, keyFile: String? = nil, keyPassword: String? = nil) {
      self.file = file
      self.keyFile = keyFile
      self.keyPassword = keyPassword
    }
  }
}

/// How a client authenticates. Credentials go to the origin of the request and to no other.
public enum HTTPCredentials: Sendable {
  /// The password is sent with every request.
  case basic(user: String, password: String)
  /// The server's challenge is answered, and the password is never sent. Costs one more exchange for each request.
  case digest(user: String, password: String)
  /// What the file `~/.netrc` has for the host, as Basic.
  case netrc
}

extension HTTPCredentials: CustomStringConvertible, CustomReflectable {
  /// `<secret>`.
  public var description: String { "<secret>" }

  /// A mirror without children, so that no dump shows a secret.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
