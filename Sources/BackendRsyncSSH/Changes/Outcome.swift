internal import RsyncWire
internal import SyncKit

/// What happened to the items of an intent, as a lookup found it.
struct Outcome: Sendable {
  struct Item: Sendable {
    /// Nil if unknown.
    var verdict: Verdict?
    var live: ListedFile?
    var kept: ListedFile?
  }

  var items: [SyncPath: Item] = [:]
  /// What was in the place of folders that were made.
  var keptForFolders: [SyncPath: ListedFile] = [:]
  /// The lookup itself, for the other questions.
  var sight: Sight

  init(_ intent: Intent, _ sight: Sight) {
    self.sight = sight
    for item in intent.items {
      let kept = intent.kept(item.path).flatMap { sight.files[$0] }
      items[item.path] = Self.judge(item, sight.files[item.path], kept, isWhole: sight.isWhole)
    }
    for folder in intent.folders {
      if let kept = intent.kept(folder).flatMap({ sight.files[$0] }) { keptForFolders[folder] = kept }
    }
  }

  private static func judge(
    _ item: Intent.Item, _ live: ListedFile?, _ kept: ListedFile?, isWhole: Bool
  ) -> Item {
    let isKnown = isWhole || live != nil
    let verdict = Verdict(
      live: live.map(\.identity), kept: kept.map(\.identity), base: item.base, new: item.new?.hash)
    return Item(verdict: isKnown ? verdict : nil, live: live, kept: kept)
  }

  /// The previous versions that are no longer needed: their content is in the history, or on the host under another name.
  ///
  /// - Parameter isWhole: whether what is not among the files is not there. Where it is not known, the only copy there is
  ///   left, unless the file was to go.
  static func redundant(
    _ intent: Intent, _ files: [SyncPath: ListedFile], isWhole: Bool = false
  ) -> [SyncPath] {
    intent.items.compactMap { item in
      guard let path = intent.kept(item.path), let kept = files[path], kept.hash != nil else { return nil }
      switch judge(item, files[item.path], kept, isWhole: isWhole || item.new == nil).verdict ?? .orphaned {
      case .displaced, .orphaned: return nil
      case .done, .notApplied, .overtaken: return path
      }
    }
  }
}

extension ListedFile {
  /// The hash that identifies its content; a value that no content has if it is not a file or could not be read.
  fileprivate var identity: [UInt8] { hash ?? [] }
}
