internal import RsyncWire
internal import SyncKit

/// The results of an intent's items, from a lookup.
struct Outcome: Sendable {
  struct Item: Sendable {
    /// Nil if unknown.
    var status: ChangeStatus?
    var live: ListedFile?
    var kept: ListedFile?
  }

  var items: [SyncPath: Item] = [:]
  /// The files that were in the place of created folders.
  var keptForFolders: [SyncPath: ListedFile] = [:]
  /// The lookup, for further checks.
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
  /// - Parameter isWhole: true if files that are not listed do not exist. Otherwise the only existing copy is kept, unless the
  ///   file was to be removed.
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
  /// The hash that identifies the content; a value that no content has if this is not a file or could not be read.
  var identity: [UInt8] { hash ?? [] }
}
