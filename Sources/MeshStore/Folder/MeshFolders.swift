internal import CPOSIX
package import SyncKit

/// The folder of a remote with the folders of its meshes: one for each secret that it has had, so that a new secret begins with an empty
/// one, and the former secret finds its own again.
package struct MeshFolders: Sendable {
  private let path: String

  /// - Parameter path: The absolute path of the remote's folder. It need not exist.
  package init(_ path: String) { self.path = path }

  /// Returns the folder of a secret's mesh.
  package func folder(of secret: MeshSecret) -> MeshFolder { MeshFolder("\(path)/\(Self.name(of: secret))") }

  /// Returns the paths of the folders of other secrets.
  package func former(than secret: MeshSecret) throws(SyncError) -> [String] {
    let own = Self.name(of: secret)
    return try MeshFolder.names(in: path).filter { $0 != own && $0.utf8.count == own.utf8.count }.sorted()
      .map { "\(path)/\($0)" }
  }

  /// The beginning of the mesh's number, which says nothing about the secret.
  private static func name(of secret: MeshSecret) -> String { Hexadecimal.text(of: secret.swarm.prefix(8)) }
}
