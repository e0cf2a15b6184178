extension PathFilter {
  /// The file in the store's root that contains additional ignore patterns. It is never synced: otherwise anyone who can write
  /// to a remote could exclude files here from syncing.
  public static let ignoreFile = ".syncdignore"

  /// The filter of a store: `include` and `exclude`, `DefaultIgnores`, and the store's ignore file, whose lines come last.
  /// Throws if the ignore file cannot be read: without it, files could be copied that must not leave the store.
  public init(of store: any Replica, include: [String] = [], exclude: [String] = []) async throws(SyncError) {
    self.init(
      include: Self.limiting(include),
      ignore: DefaultIgnores.lines + exclude + (try await Self.ownLines(of: store)) + ["/" + Self.ignoreFile])
  }

  /// Returns those of the `include` patterns that do not match every path; a list with one that does means all.
  public static func limiting(_ include: [String]) -> [String] {
    include.contains { $0 == "**/*" || $0 == "**" } ? [] : include
  }

  private static func ownLines(of store: any Replica) async throws(SyncError) -> [String] {
    guard let path = SyncPath(ignoreFile) else { return [] }
    let sink = MemorySink(limit: 1 << 20)
    switch try await store.read(file: path, into: sink) {
    case .read:
      // An editor may have added a byte order mark to the file, which git ignores as well.
      let text = sink.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? sink.bytes.dropFirst(3) : sink.bytes[...]
      return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    case .absent: return []
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read the store's .syncdignore: \(reason)")
    case .failed(let error): throw error
    }
  }
}
