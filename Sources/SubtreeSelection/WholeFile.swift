internal import OrgKit
package import SyncKit

/// A file of the store with the part of it that matches.
struct WholeFile {
  var entry: Entry
  var bytes: [UInt8]
  var part: OrgPart
}

/// The result of reading a file of the store and selecting its subtrees.
enum WholeResult {
  case file(WholeFile)
  /// It is not certain which subtrees match, for this reason.
  case uncertain(Entry, String)
  case absent
  case postponed(String)
  case failed(SyncError)
}

extension MatchingStore {
  /// Reads the whole file at `path`, and selects its subtrees.
  ///
  /// - Parameter hint: the listed entry, if there is one; a file that is too large is not read.
  func whole(_ path: SyncPath, hint: Entry? = nil) async throws(SyncError) -> WholeResult {
    if let hint, hint.size > MatchRule.largestFile { return .uncertain(hint, Self.tooLarge) }
    let sink = MemorySink(limit: MatchRule.largestFile)
    switch try await store.read(file: path, into: sink) {
    case .absent: return .absent
    case .postponed(let reason): return .postponed(reason)
    case .failed(let error): return .failed(error)
    case .read(let entry):
      let bytes = sink.bytes
      switch OrgPart.select(rule.match, in: bytes) {
      case .uncertain(let reason): return .uncertain(entry, "\(reason); `match` cannot be applied to it")
      case .part(let part), .nothing(let part):
        return .file(WholeFile(entry: entry, bytes: bytes, part: part))
      }
    }
  }

  /// Returns what the remote has of the file at `path`, as text for people.
  package func selection(of path: SyncPath) async throws(SyncError) -> (text: String, isEmpty: Bool) {
    guard MatchRule.applies(to: path) else { return ("not synced: with `match`, only Org files are", true) }
    switch try await whole(path) {
    case .absent: return ("not in the store", true)
    case .postponed(let reason): return (reason, true)
    case .failed(let error): return (error.message, true)
    case .uncertain(_, let reason): return ("not synced: it is \(reason)", true)
    case .file(let file):
      let (shown, all) = (file.part.entryCount, file.part.wholeEntryCount)
      return ("\(shown) of \(all.counted("entry", "entries")) match `\(rule.text)`", shown == 0)
    }
  }

  private static var tooLarge: String { "a file of more than 32 MiB; `match` cannot be applied to it" }
}
