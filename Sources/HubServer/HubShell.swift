#if Hub
  package import Hub
  import HubClient

  /// The web client, which a hub serves.
  package enum HubShell {
    /// Returns a file of the web client by its path, such as `/index.html`.
    @Sendable package static func file(at path: String) -> ShellFile? {
      HubClientFiles.file(at: path).map { ShellFile(bytes: $0.bytes, type: $0.contentType, etag: $0.etag) }
    }
  }
#endif
