public import CurlHTTP
public import SyncKit

public let plugins: [any Plugin.Type] = [S3.self]

/// A bucket of S3, or a part of one.
public struct S3: CloudStorage {
  public static let id = "s3"
  public static let summary = "Keeps files in a bucket: AWS S3, Cloudflare R2, Ceph, MinIO and many others."
  public static var failpoints: [Failpoint] { S3Failpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Bucket. It must exist.", .shareable) public var bucket: String
    @Setting("Beginning of all keys, such as ann/org/. Each store needs its own.", .shareable) public var prefix = ""
    @Setting("Address of the server. Default: AWS in `region`.", .shareable) public var endpoint: URLText? = nil
    @Setting("Region. Default: from the environment or the profile, else us-east-1.", .shareable) public var region = ""
    @Setting("Access key. Default: from the environment or the profile.", .asked) public var accessKey: Secret? = nil
    @Setting("Secret key that belongs to the access key.", .asked) public var secretKey: Secret? = nil
    @Setting("Session token of temporary keys.") public var sessionToken: Secret? = nil
    @Setting("Profile in ~/.aws/credentials and ~/.aws/config.") public var profile = ""
    @Setting(
      "Where the bucket's name is: in the path, in the host name, or wherever the server expects it.", .shareable)
    public var addressing = Addressing.auto
    @Setting("Storage class of new objects, such as STANDARD_IA. Archive classes cannot be read.", .shareable)
    public var storageClass = ""
    @Setting("Encryption by the server, which then has the key: AES256 or aws:kms. Default: the bucket's.", .shareable)
    public var serverEncryption = ""
    /// The connection to the server.
    public var http = HTTPSettings()
    @Setting("Write to a server that ignores conditions; concurrent edits can be lost.") public var unsafeWrites = false
    @Setting(
      "Time after which a bucket of more than 1000 files is listed in full, to find changes by other programs.",
      .shareable)
    public var fullListing = Duration.seconds(86_400)
    @Setting("Maximum number of concurrent requests.", .shareable, .range(2...256)) public var connections = 16
    @Setting("Maximum number of files and folders in a listing.", .shareable, .range(1...10_000_000)) public
      var maxFiles = ListingLimit.defaultMaximum

    public init() {}

    public var contradictions: [String] {
      (Bucket(self) == nil
        ? [
          "`bucket` must be a bucket's name, `prefix` UTF-8 without `.`, `..` and empty parts, and `endpoint` an http or https address without a path"
        ]
        : [])
        + [endpoint.flatMap { http.refusal(of: $0.text, in: "endpoint") }].compactMap(\.self)
        + ((accessKey == nil) != (secretKey == nil) ? ["`access-key` and `secret-key` require each other"] : [])
        + (sessionToken != nil && accessKey == nil ? ["`session-token` requires `access-key`"] : [])
        + (accessKey != nil && !profile.isEmpty ? ["`access-key` and `profile` exclude each other"] : [])
        + (["GLACIER", "DEEP_ARCHIVE"].contains(storageClass)
          ? ["`storage-class` must not be an archive class, from which files cannot be read"] : [])
    }
  }

  /// Where the bucket's name is in an address.
  public enum Addressing: String, CaseIterable, SettingValue {
    case auto, path, virtual
  }

  private let settings: Settings
  private let context: PluginContext

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    guard let bucket = Bucket(settings) else {
      throw SyncError(.invalidSettings, "`bucket`, `prefix` or `endpoint` of the remote \(parts.name) is invalid")
    }
    let source = CredentialSource(settings: settings, variables: context.environment.variables)
    var access = HTTPClient.Configuration(userAgent: "syncd", settings.http)
    access.connections = settings.connections
    let service = Service(
      bucket, HTTPClient(access), KeyRing(source, parts.runtime), region: source.region(), runtime: parts.runtime,
      parallelism: settings.connections)
    return S3Storage(service, parts: parts, settings: settings)
  }
}
