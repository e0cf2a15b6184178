#if Hub
  import HummingbirdCore
  import Logging
  import NIOCore
  import NIOSSL
  import SyncDaemon
  import SyncKit
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The certificate and key of a hub, from files that another program renews.
  final class RenewedCertificate: Sendable {
    private let files: (certificate: SettingPath, key: SettingPath)
    private let present: Mutex<Pair>

    /// What the files have, and what is made from it.
    private struct Pair: Sendable {
      var bytes: [[UInt8]]
      var context: NIOSSLContext
      var end: Timestamp
    }

    /// The largest file in bytes.
    private static let limit = 1 << 20

    /// Reads the files of the settings; nil if they name none.
    init?(_ settings: HubConfiguration) throws(SyncError) {
      guard let certificate = settings.tls.certificate, let key = settings.tls.key else { return nil }
      files = (certificate, key)
      present = Mutex(try Self.read(certificate, key))
    }

    /// The context of a new connection.
    var context: NIOSSLContext { present.withLock(\.context) }

    /// Reads the files again; returns false if they are as before. If they cannot be used, the former certificate stays.
    func renew() throws(SyncError) -> Bool {
      let bytes = [try Self.content(files.certificate), try Self.content(files.key)]
      guard present.withLock({ $0.bytes != bytes }) else { return false }
      let pair = try Self.pair(bytes, files.certificate)
      present.withLock { $0 = pair }
      return true
    }

    /// What a person should know about the certificate.
    var warnings: [String] {
      let end = present.withLock(\.end)
      guard end <= Runtime.real.now() else { return [] }
      return ["the certificate \(files.certificate.path) expired on \(CivilTime(end)), so devices refuse it; renew it"]
    }

    private static func read(_ certificate: SettingPath, _ key: SettingPath) throws(SyncError) -> Pair {
      try pair([try content(certificate), try content(key)], certificate)
    }

    private static func content(_ file: SettingPath) throws(SyncError) -> [UInt8] {
      do { return try file.content(atMost: limit) } catch {
        throw SyncError(.invalidSettings, "cannot read a file of [hub.tls]: \(error)")
      }
    }

    private static func pair(_ bytes: [[UInt8]], _ file: SettingPath) throws(SyncError) -> Pair {
      do {
        let chain = try NIOSSLCertificate.fromPEMBytes(bytes[0])
        guard let first = chain.first else { throw NIOSSLError.failedToLoadCertificate }
        var configuration = TLSConfiguration.makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) },
          privateKey: .privateKey(try NIOSSLPrivateKey(bytes: bytes[1], format: .pem)))
        configuration.applicationProtocols = ["http/1.1"]
        configuration.minimumTLSVersion = .tlsv12
        return Pair(
          bytes: bytes, context: try NIOSSLContext(configuration: configuration),
          end: Timestamp(seconds: Int64(first.notValidAfter)))
      } catch {
        throw SyncError(
          .invalidSettings,
          "cannot use the certificate \(file.path) with its key: \(error). Both must be PEM files, and belong together")
      }
    }
  }

  extension HTTPServerBuilder {
    /// A server of HTTP/1.1, encrypted if there is a certificate: each connection with the one that is present when it begins.
    static func http1(
      _ configuration: HTTP1Channel.Configuration, encryptedBy certificate: RenewedCertificate?
    ) -> HTTPServerBuilder {
      guard let certificate else { return .http1(configuration: configuration) }
      return HTTPServerBuilder { responder in
        EncryptedChannel(
          plain: HTTP1Channel(responder: responder, configuration: configuration), certificate: certificate)
      }
    }
  }

  /// A channel of HTTP/1.1 behind TLS.
  private struct EncryptedChannel: ServerChildChannel {
    let plain: HTTP1Channel
    let certificate: RenewedCertificate

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificate.context))
      }.flatMap { plain.setup(channel: channel, logger: logger) }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await plain.handle(value: value, logger: logger) }
  }
#endif
