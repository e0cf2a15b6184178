internal import CHubClient

/// The files of the web client, which are part of the program.
public enum HubClientFiles {
  /// A file as a server sends it.
  public struct File: Sendable {
    /// The address below the hub's root, such as `/app.js`.
    public let path: String
    /// The media type, with the character set of texts.
    public let contentType: String
    /// The content.
    public let bytes: [UInt8]
    /// A strong entity tag, with its quotation marks; another content has another one.
    public let etag: String
  }

  /// All files, in the order of their addresses.
  public static let all: [File] = sources.map { source in
    heads[source.path].map { file(source.path, source.contentType, Array($0.utf8) + source.bytes) } ?? source
  }

  /// The file at an address such as `/app.js`; nil if the client has none there.
  ///
  /// An address is compared with the list, never joined to a folder. The shell answers `/` as well; which other addresses show
  /// it is the server's decision.
  public static func file(at path: String) -> File? {
    byPath[path == "/" ? "/index.html" : path]
  }

  /// A digest of all files: the version of the client.
  public static let version: String = Digest(sources.flatMap { Array($0.path.utf8) + $0.bytes }).text

  private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
  private static let sources = read()

  /// The lines before the service workers. They cache the files of one version, so they have to name the version and the files, and a
  /// browser takes a worker for new only if its own file differs.
  private static let heads: [String: String] = {
    let workers = ["/sw.js", "/worker.js"]
    let addresses = ["/"] + sources.map(\.path).filter { $0 != "/index.html" && !workers.contains($0) }
    let list = addresses.map { "\"\($0)\"" }.joined(separator: ", ")
    return [
      workers[0]: "const VERSION = \"\(version)\";\nconst FILES = [\(list)];\n", workers[1]: "// Version \(version)\n",
    ]
  }()

  private static func read() -> [File] {
    (0..<hubClientFileCount).map { index in
      let file = unsafe hubClientFile(index).pointee
      let bytes = unsafe UnsafeBufferPointer(start: file.bytes, count: file.size)
      return unsafe self.file(String(cString: file.path), String(cString: file.contentType), Array(bytes))
    }
  }

  private static func file(_ path: String, _ contentType: String, _ bytes: [UInt8]) -> File {
    File(path: path, contentType: contentType, bytes: bytes, etag: "\"\(Digest(bytes).text)\"")
  }
}

/// FNV-1a of 64 bits: tells versions of our own files apart, and protects nothing.
private struct Digest {
  let text: String

  init(_ bytes: [UInt8]) {
    let value = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let digits = String(value, radix: 16)
    text = String(repeating: "0", count: 16 - digits.count) + digits
  }
}
