internal import RsyncWire
internal import SyncKit

/// What happened to the items of an intent, as a lookup found it.
struct Outcome: Sendable {
  struct Item: Sendable {
    /// Nil if unknown.
    var status: ChangeStatus?
    var live: ListedFile?
    var kept: ListedFile?
  }

  var items: [SyncPath: Item] = [:]
  /// What was in the place of folders that were made.
  var keptForFolders: [SyncPath: ListedFile] = [:]
  /// The lookup itself, for the other questions.
  var lookup: LookupResult

  init(_ intent: Intent, _ lookup: LookupResult) {
    self.lookup = lookup
    for item in intent.items {
      let kept = intent.kept(item.path).flatMap { lookup.files[$0] }
      items[item.path] = Self.judge(item, lookup.files[item.path], kept, isWhole: lookup.isWhole)
    }
    for folder in intent.folders {
      if let kept = intent.kept(folder).flatMap({ lookup.files[$0] }) { keptForFolders[folder] = kept }
    }
  }

  private static func judge(
    _ item: Intent.Item, _ live: ListedFile?, _ kept: ListedFile?, isWhole: Bool
  ) -> Item {
    let isKnown = isWhole || live != nil
    let status = ChangeStatus(
      live: live.map(\.identity), kept: kept.map(\.identity), base: item.base, new: item.new?.hash)
    return Item(status: isKnown ? status : nil, live: live, kept: kept)
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
      switch judge(item, files[item.path], kept, isWhole: isWhole || item.new == nil).status ?? .orphaned {
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
