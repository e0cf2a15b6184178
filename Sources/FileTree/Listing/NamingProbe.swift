internal import SyncKit

/// Probes which names a folder treats as the same, by creating a file and looking it up under other names.
struct NamingProbe {
  let tree: OpenTree

  /// Returns nil if no file can be created there now.
  func run() throws(SyncError) -> NamingRules? {
    guard let scratch = Temporary("\(stem)\u{E9}.tmp".utf8), let path = SyncPath(bytes: scratch.name.bytes) else {
      return nil
    }
    let location = FileLocation(folder: tree.root, path: path)
    do throws(SyncError) { _ = try tree.primitives.create(scratch, beside: location, mode: 0o600) } catch {
      if error.code == .pathFailed { return nil }
      throw error
    }
    let rules = NamingRules(
      foldsCase: exists("\(stem.uppercased())\u{E9}.tmp"), foldsUnicode: exists("\(stem)e\u{301}.tmp"))
    _ = try tree.primitives.discard(scratch, beside: location)
    return rules
  }

  private var stem: String {
    String(decoding: Temporary(of: tree.owner, tree.parts.runtime).name.bytes.dropLast(4), as: UTF8.self)
  }

  private func exists(_ name: String) -> Bool { (try? tree.root.facts(of: FileName(name))) != nil }
}
