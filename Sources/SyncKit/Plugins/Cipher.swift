/// Seals files for a remote and opens what was sealed there.
///
/// A file goes through a stream, so that it may be larger than memory. What is wrong with a file is told as the rest of a
/// sentence that the file's name begins.
public protocol Cipher: Sendable {
  /// The id of the plugin, which the remote remembers.
  var id: String { get }

  /// Whether names are sealed too.
  var hidesNames: Bool { get }

  /// Whether a file that begins with these bytes, or is no longer than they are, may have been sealed with this cipher.
  func isSealed(_ start: [UInt8]) -> Bool

  /// Seals one file. The same bytes are sealed differently each time. `label` goes with the file, proved like its content
  /// and no part of it; at most `largestLabel` bytes. An empty one is none.
  func sealing(_ label: [UInt8]) throws(SyncError) -> any CipherStream

  /// Opens one file; what comes out is to be believed only when the stream has come to its end. `.unauthorized` if the
  /// key is not the one it was sealed with, as far as the format can tell.
  func opening() throws(SyncError) -> any CipherStream

  /// The cipher for the files of a remote whose own key this is. Default: the same.
  func keyed(by key: [UInt8]) throws(SyncError) -> any Cipher

  /// What people need to open the files of a remote with this key by hand, to be sealed with the key. Default: nothing.
  func note(for key: [UInt8]) -> String
}

extension Cipher {
  public var hidesNames: Bool { false }
  public func keyed(by key: [UInt8]) throws(SyncError) -> any Cipher { self }
  public func note(for key: [UInt8]) -> String { "" }
}

/// One file on its way through a cipher.
public protocol CipherStream: Sendable {
  /// Takes the next bytes, and gives what comes of them so far.
  mutating func update(_ chunk: [UInt8]) async throws(SyncError) -> [UInt8]

  /// Takes the end, and gives the rest.
  mutating func finish() async throws(SyncError) -> [UInt8]

  /// The label of a file that was opened to its end; nil if it has none.
  var label: [UInt8]? { get }
}

extension Cipher {
  /// The sealed form of a small content.
  public func seal(_ bytes: [UInt8], as path: SyncPath, label: [UInt8] = []) async throws(SyncError) -> [UInt8] {
    try await run(bytes, path) { () throws(SyncError) in try sealing(label) }
  }

  /// What was sealed, if it is small.
  public func open(_ bytes: [UInt8], as path: SyncPath) async throws(SyncError) -> [UInt8] {
    try await run(bytes, path) { () throws(SyncError) in try opening() }
  }

  private func run(
    _ bytes: [UInt8], _ path: SyncPath, _ start: () throws(SyncError) -> any CipherStream
  ) async throws(SyncError) -> [UInt8] {
    do throws(SyncError) {
      var stream = try start()
      return try await stream.update(bytes) + stream.finish()
    } catch { throw error.about(path) }
  }
}

extension SyncError {
  /// The error with the file's name before what is wrong with it.
  package func about(_ path: SyncPath) -> SyncError { SyncError(code, "\(path) \(message)", cause: cause, remedy: remedy) }
}

/// A stream for a format that needs a file as a whole, which therefore has to be small.
public struct WholeFileStream: CipherStream {
  public let label: [UInt8]? = nil
  private let work: @Sendable ([UInt8]) throws(SyncError) -> [UInt8]
  private var bytes: [UInt8] = []

  public init(_ work: @escaping @Sendable ([UInt8]) throws(SyncError) -> [UInt8]) { self.work = work }

  public mutating func update(_ chunk: [UInt8]) -> [UInt8] {
    bytes += chunk
    return []
  }

  public mutating func finish() throws(SyncError) -> [UInt8] { try work(bytes) }
}
