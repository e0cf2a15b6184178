internal import SettingsRegistry

extension HTTPClient {
  /// How a client connects and authenticates.
  public struct Configuration: Sendable {
    /// The account; nil for a server without one.
    public var credentials: HTTPCredentials?
    /// A file of additional trusted CA certificates (PEM); nil to trust only those of the system.
    public var caFile: String?
    /// The certificate that authenticates the client; nil for none.
    public var clientCertificate: ClientCertificate?
    /// The proxy to use.
    public var proxy = Proxy.environment
    /// True if `http` is allowed for hosts other than this machine.
    public var allowsPlainHTTP = false
    /// The maximum number of concurrent requests.
    public var connections = 16
    /// The timeout for setting up a connection.
    public var connectTimeout = Duration.seconds(15)
    /// The time after which a request fails with `.timedOut` if it transfers less than 100 bytes per second.
    public var stallTimeout = Duration.seconds(60)
    /// The value of the header `User-Agent`.
    public var userAgent: String

    /// A configuration with these defaults.
    public init(userAgent: String) { self.userAgent = userAgent }

    /// A configuration from a user's settings.
    public init(userAgent: String, _ settings: HTTPSettings) {
      self.userAgent = userAgent
      caFile = settings.caFile?.path
      proxy = Proxy(settings.proxy)
      allowsPlainHTTP = settings.plainHttp
      stallTimeout = settings.timeout
      connectTimeout = min(connectTimeout, settings.timeout)
    }
  }

  /// The proxy to use.
  public enum Proxy: Hashable, Sendable {
    /// The proxy in the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case environment
    /// No proxy.
    case none
    /// The proxy at this address.
    case url(String)

    /// Parses the setting: an address, `none`, or empty for the environment.
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

/// How a client authenticates. Credentials are sent only to the origin of the request.
public enum HTTPCredentials: Sendable {
  /// The password is sent with every request.
  case basic(user: String, password: String)
  /// The client answers the server's challenge and never sends the password. Costs one more exchange for each request.
  case digest(user: String, password: String)
  /// The entry for the host in `~/.netrc`, as Basic.
  case netrc
}

extension HTTPCredentials: CustomStringConvertible, CustomReflectable {
  /// `<secret>`.
  public var description: String { "<secret>" }

  /// A mirror without children, so that no dump shows a secret.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
