internal import MeshStore
public import SyncKit

public let plugins: [any Plugin.Type] = [BitTorrent.self]

/// Syncs one's own devices with each other, without a server.
public struct BitTorrent: SyncBackend {
  public static let id = "bittorrent"
  public static let summary = "Syncs your own devices directly with each other, encrypted and without a server."
  public static let usesStorage = false
  public static let allowsModes = false
  public static var failpoints: [Failpoint] { MeshFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Secret that all devices of the mesh share, as `sy1-…`.", .asked) public var secret: Secret
    @Setting("Port to listen at. Default: choose one and keep it.", .range(0...65_535)) public var port = 0
    @Setting("Addresses to listen at.") public var listen = ["0.0.0.0", "[::]"]
    @Setting("Find devices in the local network (BEP 14).", .shareable) public var localDiscovery = true
    @Setting("Devices that can be reached from elsewhere, as `HOST:PORT`; may contain this one.", .shareable) public
      var peers: [String] = []
    @Setting("Trackers of your own, which see the addresses of the devices.", .shareable) public var trackers:
      [String] = []
    @Setting("Maximum wait for other devices without progress.") public var wait = Duration.seconds(10)
    @Setting("Helper program that speaks BitTorrent.") public var program = "syncd-torrent"

    public init() {}

    public var contradictions: [String] {
      peers.filter { PeerAddress($0) == nil }.map {
        "`\($0)` in `peers` must be a host and a port, such as home.example.org:47113 or 192.0.2.7:47113"
      }
    }
  }

  let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    let secret = try await secret(parts.name)
    guard let folders = parts.dataFolder.map(MeshFolders.init) else {
      throw SyncError(
        .invalidSettings, "the remote \(parts.name) needs a folder of its own, which this program does not offer")
    }
    let folder = folders.folder(of: secret)
    let mesh = MeshReplica(folder, secret, parts.device, parts.runtime)
    var options = MeshNetwork.Options()
    options.listen = settings.listen
    options.port = UInt16(clamping: settings.port)
    options.usesLocalDiscovery = settings.localDiscovery
    options.peers = settings.peers.compactMap(PeerAddress.init).map { ($0.host, $0.port) }
    options.trackers = settings.trackers
    options.traffic = parts.traffic
    options.program = HelperProgram.path(of: settings.program)
    let network = MeshNetwork(mesh, secret, folder: folder.path, options, parts.runtime)
    return BitTorrentReplica(
      mesh: mesh, network: network, wait: settings.wait, former: try folders.former(than: secret))
  }

  private func secret(_ name: String) async throws(SyncError) -> MeshSecret {
    let text: String
    do { text = try await settings.secret.reveal() } catch {
      throw SyncError(
        .unauthorized, "cannot read the secret of the remote \(name): \(error)", remedy: .signIn(remote: name))
    }
    guard let secret = MeshSecret(text: text) else {
      throw SyncError(
        .unauthorized, "the secret of the remote \(name) is not one, or has a typing mistake; it begins with sy1-",
        remedy: .signIn(remote: name))
    }
    return secret
  }
}
